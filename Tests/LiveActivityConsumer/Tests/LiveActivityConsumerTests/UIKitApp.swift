import UIKit

@testable import ShopAppUIKit

// Not in the file of its tests: the compiler has an overlay for files that import both `Testing` and Apple's UIKit.

/// The sample app with UIKit's life cycle, and the system that runs it.
@MainActor
struct UIKitApp {
    let delegate = AppDelegate()
    private let scene = SceneDelegate()

    init(deliveries: Deliveries = Deliveries()) {
        delegate.deliveries = deliveries
        UIApplication.shared.delegate = delegate
    }

    /// As the system does it where a tap on a card launches the app.
    func connect(opening url: URL) { connect(UIScene.ConnectionOptions(urlContexts: [UIOpenURLContext(url: url)])) }

    /// As the system does it where a universal link launches the app.
    func connect(continuing url: URL) {
        connect(UIScene.ConnectionOptions(userActivities: [NSUserActivity(webpageURL: url)]))
    }

    /// As the system does it for a tap on a card while the app runs.
    func open(_ url: URL) { scene.scene(UIScene(), openURLContexts: [UIOpenURLContext(url: url)]) }

    /// As the system does it for a universal link while the app runs.
    func `continue`(_ url: URL) { scene.scene(UIScene(), continue: NSUserActivity(webpageURL: url)) }

    private func connect(_ options: UIScene.ConnectionOptions) {
        scene.scene(UIScene(), willConnectTo: UISceneSession(), options: options)
    }

    func becomeActive() { scene.sceneDidBecomeActive(UIScene()) }
    func enterBackground() { scene.sceneDidEnterBackground(UIScene()) }
}
