// Apple's UIKit brings Foundation with it.
@_exported public import Foundation

// A stand-in with the shape of Apple's framework, as far as the sample uses it.

@MainActor open class UIResponder: NSObject {
    override public init() { super.init() }
}

@MainActor public final class UIWindow: UIResponder {}

@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    init()
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
}

extension UIApplicationDelegate {
    public static func main() {
        let delegate = Self()
        UIApplication.shared.delegate = delegate
        _ = delegate.application(.shared, didFinishLaunchingWithOptions: nil)
    }
}

@MainActor public final class UIApplication: UIResponder {
    public struct LaunchOptionsKey: Hashable, Sendable {}

    public static let shared = UIApplication()
    public weak var delegate: (any UIApplicationDelegate)?
}

@MainActor public final class UIScene: UIResponder {
    public final class ConnectionOptions {
        public let urlContexts: Set<UIOpenURLContext>
        public let userActivities: Set<NSUserActivity>
        public init(urlContexts: Set<UIOpenURLContext> = [], userActivities: Set<NSUserActivity> = []) {
            self.urlContexts = urlContexts
            self.userActivities = userActivities
        }
    }
}

@MainActor public final class UISceneSession {
    public init() {}
}

public final class UIOpenURLContext: NSObject, Sendable {
    public let url: URL
    public init(url: URL) { self.url = url }
}

public final class NSUserActivity: NSObject, Sendable {
    public let webpageURL: URL?
    public init(webpageURL: URL?) { self.webpageURL = webpageURL }
}

@MainActor public protocol UISceneDelegate: NSObjectProtocol {
    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions)
    func sceneDidBecomeActive(_ scene: UIScene)
    func sceneDidEnterBackground(_ scene: UIScene)
    func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>)
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
}

@MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {
    var window: UIWindow? { get set }
}
