internal import DoorstepAPI
internal import Foundation
internal import LiveActivity
internal import TimePresentation

/// Cards without an uploaded update token, which no push can change.
extension CardBody {
    /// Seconds in which a start that Apple keeps for a phone may still arrive; a silent app proves nothing before.
    private static let answeredWithin: TimeInterval = 600

    /// Whether no push can change the card until its app is opened, and enough time has passed to be sure.
    func isFrozen(_ now: Date) -> Bool {
        guard let frozen, now < frozen.leavesAt else { return false }
        switch state {
        case "starting": return now >= frozen.since.addingTimeInterval(Self.answeredWithin)
        default: return reason == .noUpdateToken
        }
    }

    /// The customer's view of a frozen card, with the only remedy, opening the app; nil where the card is not frozen.
    func frozenFinding(_ times: StoreTimes) -> Finding? {
        guard let frozen, isFrozen(times.now) else { return nil }
        let shown = sent.map { " \($0.text)" } ?? " what it started with"
        let seen =
            state == "starting"
            ? "was sent a new card at \(times.text(frozen.since)) and its app has reported nothing since: the customer has "
                + "force-quit it, or the phone is off or offline; if the card exists, it shows\(shown)"
            : "has a card whose token its app has not sent, as after a force-quit; the card shows\(shown)"
        let dates = [
            frozen.staleAt.map { "is marked as old \(since($0, times))" },
            times.now < frozen.endsAt
                ? "is ended by iOS at \(times.text(frozen.endsAt))"
                : "was ended by iOS at \(times.text(frozen.endsAt))",
            "leaves the Lock Screen by \(times.text(frozen.leavesAt))",
        ]
        return Finding(
            note: "\(named) \(seen) until the app is opened, \(dates.compactMap(\.self).joined(separator: ", "))",
            advice:
                "tell the customer to open the app, which then sends the card's token; a resend changes nothing before")
    }

    private func since(_ time: Date, _ times: StoreTimes) -> String {
        "\(times.now < time ? "from" : "since") \(times.text(time))\(times.now < time ? " on" : "")"
    }
}
