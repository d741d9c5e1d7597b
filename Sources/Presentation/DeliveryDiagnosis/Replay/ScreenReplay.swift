package import DoorstepAPI
package import Foundation
internal import LiveActivity
package import PhoneRules
internal import TimePresentation

/// The screens of a delivery's phones at one moment, recomputed from the ledger by the phone rules.
///
/// A phone showed this if it received every push sent to it: the ledger contains neither lost pushes nor swipes. Nor
/// does it contain the start of a card that its app started: such a card is known from its first update on.
package struct ScreenReplay: Sendable {
    /// A card on a Lock Screen.
    package struct Card: Sendable {
        package let card: PhoneCard
        /// The card's state, its revision, and the revision's age: `active, version 7, step 2, accepted 60 s before`.
        package let caption: String
    }

    /// The Lock Screen of one device.
    package struct Screen: Sendable {
        package let device: String
        /// The screen's cards, from the top.
        package let cards: [Card]
        /// The gaps in the replay, or that the delivery has no card.
        package let notes: [String]
    }

    /// The screens that may have had a card by then, in the order of their devices.
    package let screens: [Screen]
    /// The note that no push had been sent by then; nil where one had.
    package let note: String?

    /// - Parameters:
    ///   - activities: with the rendered payload of each push.
    ///   - at: domain time.
    package init(_ activities: [ActivityBody], at: Date, timeZone: TimeZone) {
        let times = StoreTimes(timeZone: timeZone, now: at)
        let all = activities.flatMap(CardPushes.all)
        let isAnySent = all.flatMap(\.pushes).contains { $0.at <= at }
        let cards = all.compactMap { $0.leftBy(at) }
        screens = Dictionary(grouping: cards, by: \.device).sorted { $0.key < $1.key }.map { device, cards in
            Screen(device, cards, times)
        }
        note = isAnySent ? nil : "nothing had been sent to any device by \(times.text(at))"
    }
}

extension ScreenReplay.Screen {
    fileprivate init(_ device: String, _ sent: [CardPushes], _ times: StoreTimes) {
        let now = Int(times.now.timeIntervalSince1970)
        let phone = Self.phone(sent, now: now)
        let pushes = sent.flatMap(\.pushes)
        self.device = device
        cards = phone.lockScreen.map { .init(card: $0, caption: Self.caption($0, pushes, now: now)) }
        let unseen = sent.filter { phone[card: $0.card] == nil && $0.isLocal }
        var notes = unseen.map { card in
            let since = card.startedAt.map { " since \(times.text($0))" } ?? ""
            return "a card that no known push started\(since): what it showed before its first update is not known"
        }
        if cards.isEmpty, unseen.isEmpty { notes.append("no card") }
        let unknown = pushes.count { $0.rendered == nil }
        if unknown > 0 { notes.append("\(unknown) pushes are not drawn: what they rendered is not in the ledger") }
        self.notes = notes
    }

    /// One event that the simulated phone processes.
    private struct Step {
        enum Event {
            case localStart(ShownActivity)
            case push(PushPayload)
        }

        let at: Date
        /// The order among simultaneous steps.
        let order: Int
        let card: String
        let does: Event
    }

    /// A simulated phone that received the pushes of these cards.
    private static func phone(_ cards: [CardPushes], now: Int) -> Phone {
        var phone = Phone(activitiesMax: .max, now: 0)
        let steps = cards.flatMap { card in
            let pushes = card.pushes.compactMap { push in
                push.rendered.map { Step(at: push.at, order: 1, card: card.card, does: .push($0.asStarted)) }
            }
            guard let (at, shown) = card.localStart else { return pushes }
            return [Step(at: at, order: 0, card: card.card, does: .localStart(shown))] + pushes
        }
        for step in steps.sorted(by: { ($0.at, $0.order) < ($1.at, $1.order) }) {
            let time = Int(step.at.timeIntervalSince1970)
            switch step.does {
            // A phone that refuses the start shows no card, which is the result of the replay.
            case .localStart(let shown): _ = try? phone.startFromApp(shown, card: step.card, at: time)
            case .push(let payload): _ = phone.receive(payload, card: step.card, at: time)
            }
        }
        _ = phone.advance(to: now)
        return phone
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
    /// The payload with an alert on a start: the ledger omits alerts, and a phone ignores a start without one.
    fileprivate var asStarted: PushPayload {
        guard let attributes = aps.attributes, aps.alert == nil else { return self }
        var payload = self
        payload.aps.alert = .quiet(attributes)
        return payload
    }
}
