package import DoorstepAPI
package import Foundation
internal import LiveActivity
internal import TimePresentation

/// The state of a customer's iPhone: its tokens, its newest pushes, and its confirmed screen.
package struct PhoneOverview: Hashable, Sendable {
    /// One card of the phone; both texts are nil where nothing is known of it.
    package struct Card: Hashable, Sendable {
        /// Whether it can be changed.
        package let token: String?
        /// The newest push to the card, with its result: `17:13:00 update of v7.2 at priority 10: …`.
        package let newestPush: String?
    }

    /// The phone's id, system and app.
    package let title: String
    /// Apple's refusals that stop all pushes.
    package let refusals: [String]
    /// Whether the phone accepts new cards, and why not.
    package let starts: String
    package let cards: [Card]
    /// The time of the app's last report of its screen.
    package let report: String
    /// Sent and shown pushes per period, for each period with pushes.
    package let measured: [String]

    /// - Parameter now: domain time.
    package init(_ phone: CustomerPhoneBody, now: Date, timeZone: TimeZone) {
        let times = StoreTimes(timeZone: timeZone, now: now)
        title = phone.title
        refusals = phone.circuits.map { $0.text(times) }
        starts = phone.startsText(times)
        cards = zip(1..., phone.cards).map { number, card in
            let name = phone.cards.count == 1 ? "its card" : "card \(number)"
            return Card(
                token: card.tokenText(name, now), newestPush: card.newestPush.map { $0.text(times) })
        }
        report =
            phone.reportedAt.map { "its app last reported its cards \($0.ago(now)), at \(times.text($0))" }
            ?? "its app has not reported its cards yet"
        measured = phone.measured.compactMap(\.text)
    }
}

extension CustomerPhoneBody {
    fileprivate var title: String {
        let app = [bundleID, appVersion].compactMap(\.self).joined(separator: " ")
        let parts: [String?] = [
            osVersion.map { "iOS \($0)" }, app.isEmpty ? nil : app,
            frequentPushesEnabled ? nil : "frequent updates switched off",
        ]
        let text = parts.compactMap(\.self).joined(separator: ", ")
        return text.isEmpty ? id : "\(id): \(text)"
    }

    fileprivate func startsText(_ times: StoreTimes) -> String {
        guard activitiesEnabled else { return "no cards: its owner has switched Live Activities off" }
        guard let token = startToken else {
            return "no new cards by push: the app has uploaded no start token, or Apple has revoked it"
        }
        if let failure = startFailure {
            let reason = StartFailureReason(failure.code)
            return "no new card until \(times.text(failure.until)): \(reason.sentence)"
        }
        if let next = nextStartAt { return "no new card until \(times.text(next)), \(token.text(times.now))" }
        return "takes new cards: \(token.text(times.now))"
    }
}

extension CustomerPhoneBody.Circuit {
    fileprivate func text(_ times: StoreTimes) -> String {
        let reason = PushReason(reason, of: "halted")
        return (reason.isApples ? "Apple refuses every push" : "no push is sent")
            + " since \(times.text(since)): \(reason.sentence); \(environment.rawValue), next try "
            + times.text(nextTryAt, withSeconds: true)
    }
}

extension CustomerPhoneBody.Card {
    fileprivate func tokenText(_ name: String, _ now: Date) -> String? {
        if let updateToken { return "\(name) can be changed: \(updateToken.text(now))" }
        guard newestPush?.result == "taken" else { return nil }
        return "\(name) cannot be changed: its app has uploaded no token of it yet"
    }
}

extension CustomerPhoneBody.Token {
    fileprivate func text(_ now: Date) -> String {
        let age = observedAt.map { "token from \($0.ago(now))" } ?? "token of unknown age"
        return "\(age), \(environment.rawValue)"
    }
}

extension CustomerPhoneBody.Push {
    fileprivate func text(_ times: StoreTimes) -> String {
        let time = times.text(at, withSeconds: true)
        return "\(time) \(event) of \(revision.text) at priority \(priority): \(outcome(times))"
    }

    private func outcome(_ times: StoreTimes) -> String {
        let id = apnsID.map { " (apns-id \($0))" } ?? ""
        switch result {
        case nil: return "no answer yet"
        case "taken":
            if let seenAt { return "Apple accepted it\(id), and the app saw it at \(times.text(seenAt))" }
            if let missedAt {
                return "Apple accepted it\(id); it had not arrived when the app checked at \(times.text(missedAt))"
            }
            return "Apple accepted it\(id); the app has not confirmed it yet"
        case "unknown": return "unknown: \(reason.map { PushReason($0, of: result).sentence } ?? "no answer came")"
        case let result?: return reason.map { PushReason($0, of: result).sentence } ?? result
        }
    }
}

extension CustomerPhoneBody.Measure {
    /// Nil where nothing was sent.
    fileprivate var text: String? {
        let parts = [
            ("urgent (priority 10)", high), ("quiet (priority 5)", low), ("new cards", starts),
        ].filter { $0.1.sent > 0 }.map { "\($0.0): \($0.1.text)" }
        guard !parts.isEmpty else { return nil }
        return "last \(hours == 1 ? "hour" : "\(hours) h"), " + parts.joined(separator: "; ")
    }
}
