import CommandOutput
import LiveActivity
import PhoneRules

/// A sample delivery on a phone, brought there by the path of a real push: content, payload, bytes, phone.
struct PreviewedCard {
    static let id = "card-1"

    let phone: Phone
    let card: PhoneCard
    /// The pushes' changes, oldest first.
    let events: [CardEvent]
    let now: Int
    /// Bytes of the last push.
    let payloadBytes: Int

    /// - Parameter isStale: whether time passes until the card is stale.
    init(_ delivery: SampleDelivery, phone emptyPhone: Phone, isStale: Bool = false) throws {
        var phone = emptyPhone
        var now = delivery.now
        let step = ActivityStep.after(
            delivery.snapshot, arrival: delivery.arrival, legProgress: delivery.legProgress, step: 1, now: now)
        var events: [CardEvent] = []
        let bytes: [UInt8]
        switch step {
        case .show(let shown):
            bytes = try PushPayload.start(shown, timestamp: now, alert: shown.alert).encoded()
            events += phone.receive(try PushPayload(decoding: bytes), card: Self.id, at: now)
        case .ended(let ended):
            let before = SampleDelivery(status: .accepted, flags: [], store: delivery.store)
            let first = ActivityStep.after(before.snapshot, arrival: nil, step: 0, now: before.now)
            if case .show(let shown) = first {
                let start = try PushPayload.start(shown, timestamp: before.now, alert: nil).encoded()
                events += phone.receive(try PushPayload(decoding: start), card: Self.id, at: before.now)
            }
            bytes = try PushPayload.end(ended, timestamp: now, alert: ended.alert).encoded()
            events += phone.receive(try PushPayload(decoding: bytes), card: Self.id, at: now)
        }
        if isStale, let staleAt = phone[card: Self.id]?.staleAt {
            now = max(now, staleAt)
            events += phone.advance(to: now)
        }
        guard let card = phone[card: Self.id] else {
            throw CommandFailure(.notAllowed, "A phone with Live Activities switched off shows no card.")
        }
        self.phone = phone
        self.card = card
        self.events = events
        self.now = now
        payloadBytes = bytes.count
    }
}
