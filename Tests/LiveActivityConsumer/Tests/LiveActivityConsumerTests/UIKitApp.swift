import UIKit

@testable import ShopAppUIKit

// Not in the file of its tests: the compiler has an overlay for files that import both `Testing` and Apple's UIKit.

/// The sample app with UIKit's life cycle, and the system that runs it.
@MainActor
struct UIKitApp {
    let delegate = AppDelegate()
    private let scene = SceneDelegate()

    init() { UIApplication.shared.delegate = delegate }

    /// As the system does it where a universal link launches the app.
    func connect(opening url: URL) {
        let options = UIScene.ConnectionOptions(userActivities: [NSUserActivity(webpageURL: url)])
        scene.scene(UIScene(), willConnectTo: UISceneSession(), options: options)
    }

    func becomeActive() { scene.sceneDidBecomeActive(UIScene()) }
    func enterBackground() { scene.sceneDidEnterBackground(UIScene()) }
}
