import CommandOutput
import DoorstepAPI
import Foundation
import LiveActivity

/// The iPhones of a delivery's customer as lines to print: what each can be sent, what it was sent last, and what it is
/// known to have shown.
struct PhoneText {
    let lines: [String]

    /// - Parameter now: domain time.
    init(_ phones: [CustomerPhoneBody], now: Date, timeZone: TimeZone) {
        lines = phones.filter(\.isPushed).flatMap { phone in
            ["  \(phone.title)"] + Self.details(phone, now, timeZone).map { "    \($0)" }
        }
    }

    private static func details(_ phone: CustomerPhoneBody, _ now: Date, _ timeZone: TimeZone) -> [String] {
        var lines = phone.circuits.map { circuit in
            let reason = PushReason(circuit.reason, of: "halted")
            return (reason.isApples ? "Apple refuses all of it" : "nothing is sent")
                + " since \(circuit.since.clock(in: timeZone)): "
                + "\(reason.sentence); \(circuit.environment.rawValue), next try "
                + circuit.nextTryAt.clock(in: timeZone, withSeconds: true)
        }
        lines.append(starts(phone, now, timeZone))
        for (number, card) in zip(1..., phone.cards) {
            let name = phone.cards.count == 1 ? "its card" : "card \(number)"
            if let token = card.updateToken {
                lines.append("\(name) can be changed: \(token.text(now))")
            } else if card.newestPush?.result == "taken" {
                lines.append("\(name) cannot be changed: its app has uploaded no token of it yet")
            }
            if let push = card.newestPush { lines.append("  last push: \(push.text(in: timeZone))") }
        }
        lines.append(
            phone.reportedAt.map { "its app last told what it shows \($0.ago(now)), at \($0.clock(in: timeZone))" }
                ?? "its app has not told yet what it shows")
        lines += phone.measured.compactMap { $0.text }
        return lines
    }

    private static func starts(_ phone: CustomerPhoneBody, _ now: Date, _ timeZone: TimeZone) -> String {
        guard phone.activitiesEnabled else { return "no cards: its owner has switched Live Activities off" }
        guard let token = phone.startToken else {
            return "no new cards from here: the app has uploaded no token for that, or Apple says it works no more"
        }
        if let failure = phone.startFailure {
            return "no new card until \(failure.until.clock(in: timeZone)): \(StartFailureText(failure.code).sentence)"
        }
        if let next = phone.nextStartAt { return "no new card until \(next.clock(in: timeZone)), \(token.text(now))" }
        return "takes new cards: \(token.text(now))"
    }
}

/// Why iOS refused a card that the app wanted to start; the codes are ActivityKit's, and open.
struct StartFailureText {
    let sentence: String

    init(_ code: String) {
        sentence =
            switch code {
            case "denied": "its owner has switched Live Activities off"
            case "targetMaximumExceeded": "it shows as many cards of this app as iOS allows (\(code))"
            case "globalMaximumExceeded": "it shows as many cards of all apps as iOS allows (\(code))"
            case "unsupportedTarget", "unsupported": "this phone cannot show cards (\(code))"
            case "attributesTooLarge": "the card was too large for iOS, which is a fault of Doorstep (\(code))"
            default: "iOS refused the card (\(code))"
            }
    }
}

extension CustomerPhoneBody {
    var isPushed: Bool { transport == "apns" }

    fileprivate var title: String {
        let app = [bundleID, appVersion].compactMap(\.self).joined(separator: " ")
        let parts: [String?] = [
            osVersion.map { "iOS \($0)" }, app.isEmpty ? nil : app,
            frequentPushesEnabled ? nil : "frequent updates switched off",
        ]
        let text = parts.compactMap(\.self).joined(separator: ", ")
        return text.isEmpty ? id : "\(id): \(text)"
    }

    /// The last hour.
    var lastHour: Measure? { measured.first { $0.hours == 1 } }

    /// Urgent pushes that have to be missing in the last hour, and more than are known to have been shown, before the
    /// phone is said to hold them back: one or two may be lost for any reason.
    private static let missingMin = 3

    /// Whether the phone does not show what it is sent, as far as its app has told: its system has throttled it, or it was
    /// away for longer than the pushes are good for.
    var holdsBack: Bool {
        guard let high = lastHour?.high else { return false }
        return high.missing >= Self.missingMin && high.missing > high.shown
    }

    /// Whether the newest push to a card had not come when its app looked.
    func hasMissedNewest(of card: String) -> Bool {
        guard let push = cards.first(where: { $0.card == card })?.newestPush else { return false }
        return push.missedAt != nil && push.seenAt == nil
    }
}

extension CustomerPhoneBody.Token {
    fileprivate func text(_ now: Date) -> String {
        let age = observedAt.map { "token from \($0.ago(now))" } ?? "token of unknown age"
        return "\(age), \(environment.rawValue)"
    }
}

extension CustomerPhoneBody.Push {
    fileprivate func text(in timeZone: TimeZone) -> String {
        "\(at.clock(in: timeZone, withSeconds: true)) \(event) of \(revision.text) at priority \(priority): \(outcome(timeZone))"
    }

    private func outcome(_ timeZone: TimeZone) -> String {
        let id = apnsID.map { " (apns-id \($0))" } ?? ""
        switch result {
        case nil: return "no answer yet"
        case "taken":
            if let seenAt { return "Apple accepted it\(id), and the app saw it at \(seenAt.clock(in: timeZone))" }
            if let missedAt {
                return "Apple accepted it\(id); it had not come when the app looked at \(missedAt.clock(in: timeZone))"
            }
            return "Apple accepted it\(id); whether the phone shows it, nobody has told yet"
        case "unknown": return "nobody knows: \(reason.map { PushReason($0, of: result).sentence } ?? "no answer came")"
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

extension CustomerPhoneBody.Count {
    /// Such as `sent 12, shown at least 7, 3 had not come when the app looked, 2 unknown`.
    var text: String {
        let unknown = max(0, sent - shown - missing)
        let parts: [String?] = [
            "sent \(sent)", shown == sent ? "all shown" : shown > 0 ? "shown at least \(shown)" : nil,
            missing > 0 ? "\(missing) had not come when the app looked" : nil,
            unknown > 0 && shown < sent ? "\(unknown) not known" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
