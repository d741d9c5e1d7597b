import DoorstepDevice
import UIKit

final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    private var deliveries: Deliveries? { (UIApplication.shared.delegate as? AppDelegate)?.deliveries }

    /// A universal link that launches the app comes here.
    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        for activity in options.userActivities { open(activity) }
    }

    func sceneDidBecomeActive(_ scene: UIScene) {
        Task { await deliveries?.becameActive() }
    }

    func sceneDidEnterBackground(_ scene: UIScene) {
        Task { await deliveries?.enteredBackground() }
    }

    /// A universal link: a tap on a card, or on a button that opens the app.
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) { open(userActivity) }

    private func open(_ userActivity: NSUserActivity) {
        guard let url = userActivity.webpageURL else { return }
        Task { await open(url) }
    }

    private func open(_ url: URL) async {
        guard let answer = try? await deliveries?.shown(url) else { return }
        // Here the app shows its own screen of the delivery, and asks before it presses.
        print(answer.why ?? answer.message)
    }
}
