import CommandOutput
import DoorstepAPI
import Foundation
import LiveActivity
import PhoneRules

/// What the phones of a delivery showed at one moment, drawn anew from the ledger by the rules of a phone.
///
/// It is what each phone showed if it took every push that was accepted for it: a push that never arrived, and a card
/// that was swiped away, are not in the ledger.
struct ShownAt {
    let lines: [String]

    /// - Parameter at: domain time.
    init(_ activities: [ActivityBody], at: Date, words: Words, timeZone: TimeZone) {
        let pushes = activities.flatMap { $0.timeline ?? [] }.filter { $0.kind == "push" && $0.at <= at }
        var lines: [String] = []
        for (device, pushes) in Dictionary(grouping: pushes, by: { $0.device ?? "?" }).sorted(by: { $0.key < $1.key }) {
            lines += Self.device(device, pushes, at: at, words: words, timeZone: timeZone)
        }
        if pushes.isEmpty { lines.append("nothing had been sent to any device by \(at.clock(in: timeZone))") }
        self.lines = lines.map(\.safeOnTerminal)
    }

    private static func device(
        _ device: String, _ pushes: [ActivityTimelineEntryBody], at: Date, words: Words, timeZone: TimeZone
    ) -> [String] {
        let now = Int(at.timeIntervalSince1970)
        var phone = Phone(activitiesMax: .max, now: 0)
        var unknown = 0
        for push in pushes.sorted(by: { $0.at < $1.at }) where push.result != "refused" && push.result != "gone" {
            guard let card = push.card, let rendered = push.rendered else {
                unknown += 1
                continue
            }
            _ = phone.receive(rendered.asStarted, card: card, at: Int(push.at.timeIntervalSince1970))
        }
        _ = phone.advance(to: now)
        var lines = ["\(device) at \(at.clock(in: timeZone, withSeconds: true))"]
        for card in phone.lockScreen {
            lines += LockScreenDrawing(face: CardFace(card, words: words, now: now), hasDigits: false).drawing.lines
                .map(
                    \.text)
            lines.append("  \(caption(card, pushes, now: now))")
        }
        if phone.lockScreen.isEmpty { lines.append("  no card") }
        if unknown > 0 { lines.append("  \(unknown) pushes are not drawn: what they rendered is not in the ledger") }
        return lines + [""]
    }

    /// Since when it shows that, and whether the transport is known to have accepted it.
    private static func caption(_ card: PhoneCard, _ pushes: [ActivityTimelineEntryBody], now: Int) -> String {
        let push = pushes.last { $0.card == card.id && $0.timestamp == card.timestamp }
        let accepted = push?.result == "taken" ? "accepted" : "sent, and whether it was accepted is not known"
        let revision = "version \(card.content.revision.version), step \(card.content.revision.step)"
        return "\(card.state.rawValue), \(revision), \(accepted) \(max(0, now - card.timestamp)) s before"
    }
}

extension PushPayload {
    /// The same with an alert on a start, which the ledger leaves out and without which a phone shows nothing.
    fileprivate var asStarted: PushPayload {
        guard let attributes = aps.attributes, aps.alert == nil else { return self }
        var payload = self
        payload.aps.alert = .quiet(attributes)
        return payload
    }
}
