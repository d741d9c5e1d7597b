import UIKit

/// The same app with UIKit's life cycle: what `ShopApp` does in SwiftUI, an app delegate and a scene delegate do in a few
/// lines.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    var deliveries = Deliveries()

    // Not in the scene: a push that starts a card launches the app in the background, where no scene connects.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        deliveries.follow()
        return true
    }
}
