import DoorstepDevice
import UIKit

final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    private var deliveries: Deliveries? { (UIApplication.shared.delegate as? AppDelegate)?.deliveries }

    /// A link that launches the app comes here.
    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        open(options.urlContexts)
        for activity in options.userActivities { open(activity) }
    }

    func sceneDidBecomeActive(_ scene: UIScene) {
        Task { await deliveries?.becameActive() }
    }

    func sceneDidEnterBackground(_ scene: UIScene) {
        Task { await deliveries?.enteredBackground() }
    }

    /// A tap on a card, or on a button that opens the app.
    func scene(_ scene: UIScene, openURLContexts urlContexts: Set<UIOpenURLContext>) { open(urlContexts) }

    /// A universal link of a message or of a page.
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) { open(userActivity) }

    private func open(_ urlContexts: Set<UIOpenURLContext>) {
        for context in urlContexts {
            Task { await open(context.url) }
        }
    }

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
