package import DoorstepAPI
package import Foundation
internal import LiveActivity
internal import TimePresentation

/// What an activity should show, and what is known of each of its cards.
package struct ActivityOverview: Hashable, Sendable {
    package let id: String
    /// Whether it should be on a screen and since which revision: `shown at v17.2`, `ended at v18`.
    package let wanted: String
    /// What a customer reads, in English on one line: `Mira is on the way · arrives 18:24 to 18:31`.
    package let content: String
    /// One line for each of its cards, in their order: its device, its state, what it was sent and what it shows.
    package let cards: [String]

    package init(_ activity: ActivityBody, timeZone: TimeZone) {
        let wanted = activity.wanted
        id = activity.id
        self.wanted = "\(wanted.isEnd ? "ended" : "shown") at \(wanted.content.revision.text)"
        content = wanted.content.text(in: timeZone)
        cards = activity.cards.map { $0.text(in: timeZone) }
    }
}

extension GroceryDeliveryAttributes.ContentState {
    /// What a customer reads, on one line: `Mira is on the way · arrives 18:24 to 18:31 · 2 stops before you`.
    fileprivate func text(in timeZone: TimeZone) -> String {
        let words = Words(locale: "en")
        let times = arrival.map { window in
            [window.from, window.to].map { Date(timeIntervalSince1970: TimeInterval($0)).clock(in: timeZone) }
        }
        let parts = [
            words.text(headline, timeZone: timeZone.identifier), times.map { "arrives \($0[0]) to \($0[1])" },
            detail.map { words.text($0, timeZone: timeZone.identifier) },
        ]
        return parts.compactMap(\.self).joined(separator: " · ")
    }
}

extension CardBody {
    fileprivate func text(in timeZone: TimeZone) -> String {
        let shown = confirmed.map { "confirmed \($0.text)" } ?? assumedShown.map { "assumed to show \($0.text)" }
        let because: String? = isBehind || cannotShow ? why.map { "because \($0)" } : nil
        let parts: [String?] = [
            "\(device) (\(transport)): \(state)", sent.map { "sent \($0.text)" } ?? "nothing sent",
            answered.map { "answered \($0)" }, shown, connection(in: timeZone), isBehind ? "behind" : nil, because,
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private func connection(in timeZone: TimeZone) -> String? {
        if isConnected == true { return "connected" }
        if let lastConnectedAt { return "last connected \(lastConnectedAt.clock(in: timeZone))" }
        return transport == "stream" ? "never connected" : nil
    }

    /// Whether the device is to blame, and not the system.
    private var cannotShow: Bool {
        reason?.isOfDevice == true && (state == "waiting" || state == "active")
    }
}
