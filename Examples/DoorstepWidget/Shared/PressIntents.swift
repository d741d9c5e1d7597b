import AppIntents
import Foundation

// Compiled into the app and into the widget: the widget draws buttons with these intents, and the system performs them in
// the app's process.

/// Presses a card's link; the app adds it to its dependencies when it is launched.
struct CardPressing: Sendable {
    let press: @Sendable (_ link: URL, _ activity: String) async -> Void
}

/// Does what a button of a card stands for, without opening the app.
@available(iOS 17.0, *)
struct PressLink: LiveActivityIntent {
    static let title: LocalizedStringResource = "Press a button of a delivery"
    /// The card has the buttons; Shortcuts has none of its links.
    static let isDiscoverable = false
    static let authenticationPolicy = IntentAuthenticationPolicy.alwaysAllowed

    @Parameter(title: "Link") var link: URL
    @Parameter(title: "Activity") var activity: String
    @Dependency private var pressing: CardPressing

    init() {}

    init(link: URL, activity: String) {
        self.link = link
        self.activity = activity
    }

    func perform() async throws -> some IntentResult {
        await pressing.press(link, activity)
        return .result()
    }
}

/// The same for what only the phone's owner may do: the system has them unlock the phone first.
@available(iOS 17.0, *)
struct PressLinkUnlocked: LiveActivityIntent {
    static let title: LocalizedStringResource = "Press a button of a delivery on an unlocked phone"
    static let isDiscoverable = false
    static let authenticationPolicy = IntentAuthenticationPolicy.requiresAuthentication

    @Parameter(title: "Link") var link: URL
    @Parameter(title: "Activity") var activity: String
    @Dependency private var pressing: CardPressing

    init() {}

    init(link: URL, activity: String) {
        self.link = link
        self.activity = activity
    }

    func perform() async throws -> some IntentResult {
        await pressing.press(link, activity)
        return .result()
    }
}
