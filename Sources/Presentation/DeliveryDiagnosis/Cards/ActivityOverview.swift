package import DoorstepAPI
internal import Foundation
internal import LiveActivity
package import TimePresentation

/// An activity's wanted content, and the known state of each of its cards.
package struct ActivityOverview: Hashable, Sendable {
    package let id: String
    /// Whether it should be on a screen and since which revision: `shown at v17.2`, `ended at v18`.
    package let wanted: String
    /// The customer's text, in English on one line: `Mira is on the way · arrives 18:24 to 18:31`.
    package let content: String
    /// One line for each card, in order: its device, its state, its newest push and its screen.
    package let cards: [String]

    /// - Parameter times: how the times in its texts are written.
    package init(_ activity: ActivityBody, _ times: StoreTimes) {
        let wanted = activity.wanted
        id = activity.id
        self.wanted = "\(wanted.isEnd ? "ended" : "shown") at \(wanted.content.revision.text)"
        content = wanted.content.text(times)
        cards = activity.cards.map { $0.text(times) }
    }
}

extension GroceryDeliveryAttributes.ContentState {
    /// The customer's text, on one line: `Mira is on the way · arrives 18:24 to 18:31 · 2 stops before you`.
    fileprivate func text(_ times: StoreTimes) -> String {
        let words = Words(locale: "en")
        let now = Int(times.now.timeIntervalSince1970)
        func text(_ phrase: Phrase) -> String { words.text(phrase, timeZone: times.timeZone.identifier, now: now) }
        let window = arrival.map { window in
            times.text(
                from: Date(timeIntervalSince1970: TimeInterval(window.from)),
                to: Date(timeIntervalSince1970: TimeInterval(window.to)))
        }
        let parts = [text(headline), window.map { "arrives \($0)" }, detail.map(text)]
        return parts.compactMap(\.self).joined(separator: " · ")
    }
}

extension CardBody {
    fileprivate func text(_ times: StoreTimes) -> String {
        let shown = confirmed.map { "confirmed \($0.text)" } ?? assumedShown.map { "assumed to show \($0.text)" }
        let because: String? = isBehind || cannotShow ? why.map { "because \($0)" } : nil
        let parts: [String?] = [
            "\(device) (\(transport)): \(state)", sent.map { "sent \($0.text)" } ?? "nothing sent",
            answered.map { "answered \($0)" }, shown,
            isUpToDateByApp ? "brought up to date by its app" : nil,
            hasStartedByItself ? "started by itself, as its app scheduled it" : nil,
            isFrozen(times.now) ? "frozen until its app is opened" : nil,
            connection(times), isBehind ? "behind" : nil, because,
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private func connection(_ times: StoreTimes) -> String? {
        if isConnected == true { return "connected" }
        if let lastConnectedAt { return "last connected \(times.text(lastConnectedAt))" }
        return transport == "stream" ? "never connected" : nil
    }

    /// Whether the device is to blame, and not the system.
    private var cannotShow: Bool {
        reason?.isOfDevice == true && (state == "waiting" || state == "active")
    }
}
