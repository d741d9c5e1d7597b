package import DoorstepAPI
internal import Foundation
internal import LiveActivity
package import TimePresentation

/// An activity's wanted content, and the known state of each of its cards.
package struct ActivityOverview: Hashable, Sendable {
    package let id: String
    /// The revision that the cards should show: `should show version 17.2`, `should show the end, version 18`.
    package let wanted: String
    /// The customer's text, in English on one line: `Mira is on the way · arrives 18:24 to 18:31`.
    package let content: String
    /// One line for each card, in order: its device, its state, its newest push and its screen.
    package let cards: [String]

    /// - Parameter times: how the times in its texts are written.
    package init(_ activity: ActivityBody, _ times: StoreTimes) {
        let wanted = activity.wanted
        id = activity.id
        self.wanted = "should show \(wanted.isEnd ? "the end, " : "")\(wanted.content.revision.text)"
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
        let because = reason.map { "it \($0.clause)" } ?? why.map { "reason: \($0)" }
        let parts: [String?] = [
            "\(device) (\(transport)): \(stateText)",
            sent.map { "newest push \($0.text)\(answeredText)" } ?? "no push yet", shownText,
            isUpToDateByApp ? "brought up to date by its app" : nil,
            hasStartedByItself ? "started by itself, since its app scheduled it" : nil,
            isFrozen(times.now) ? "frozen until its app is opened" : nil,
            connection(times), isBehind ? "outdated" : nil, isBehind || cannotShow ? because : nil,
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }

    /// Whether no push can have arrived: its device has not opened a stream.
    private var hasNeverConnected: Bool { transport == "stream" && isConnected != true && lastConnectedAt == nil }

    /// The codes are open: an unknown code is shown unchanged.
    private var stateText: String {
        switch state {
        case "waiting": "no card yet"
        case "starting": "card being started"
        case "active": hasNeverConnected ? "card waits for the device" : "card on the screen"
        case "ended": hasNeverConnected ? "ended card waits for the device" : "ended card on the screen"
        case "dismissed": "card dismissed"
        case "swiped": "card swiped away"
        case "lost": "card lost"
        case "replaced": "card replaced by a newer one"
        case "signed_out": "card ended, since another customer signed in"
        case let state: state
        }
    }

    /// The answer to the newest push, after a comma; empty where there is none.
    private var answeredText: String {
        switch answered {
        case nil: ""
        case "taken": transport == "stream" ? "" : ", accepted by Apple"
        case "unknown": ", without an answer"
        case let answer?: ", answered with \(answer)"
        }
    }

    private var shownText: String? {
        if let confirmed { return "its app confirmed \(confirmed.text)" }
        guard let assumedShown, !hasNeverConnected else { return nil }
        return "probably shows \(assumedShown.text), which its app has not confirmed"
    }

    private func connection(_ times: StoreTimes) -> String? {
        if isConnected == true { return "connected" }
        if let lastConnectedAt { return "last connected \(times.text(lastConnectedAt))" }
        return transport == "stream" ? "the device has never connected" : nil
    }

    /// Whether the device is to blame, and not the system.
    private var cannotShow: Bool {
        reason?.isOfDevice == true && (state == "waiting" || state == "active")
    }
}
