import FlowControl
import Foundation
import LiveActivity
import Messages
import OrderDomain

@testable import ActivityDispatch

/// 2026-11-21T12:00:00Z, the time at which these tests begin.
let noon = Date(timeIntervalSince1970: 1_795_262_400)

/// 2100-01-01, after everything that happens here.
let farAhead = 4_102_444_800

extension ActivityStep {
    static func shows(
        _ version: Int, _ step: Int = 0, activity: String = "a1", phase: LiveActivity.Phase = .picking,
        arrival: Int? = nil,
        startAt: Int = 0, staleAt: Int = farAhead, alert: String? = nil, alertUntil: Int = farAhead
    ) -> ActivityStep {
        .show(
            .init(
                attributes: .any(activity), content: .any(version, step, phase, arrival), startAt: startAt,
                staleAt: staleAt, relevance: 0, alert: alert.map { .any($0, until: alertUntil) }))
    }

    static func ends(
        _ version: Int, _ step: Int = 0, activity: String = "a1", at endedAt: Date, after seconds: Int = 900,
        alert: String? = nil
    ) -> ActivityStep {
        .ended(
            .init(
                attributes: .any(activity), content: .any(version, step, .ended, nil),
                endedAt: Int(endedAt.timeIntervalSince1970), dismissal: .after(seconds: seconds),
                alert: alert.map { .any($0, until: farAhead) }))
    }
}

extension GroceryDeliveryAttributes {
    static func any(_ activity: String) -> GroceryDeliveryAttributes {
        .init(
            activity: activity, delivery: "d", reference: "G-1042", store: "Nordhavn", bag: .init(number: 1, count: 1),
            itemCount: 3, promise: nil, timeZone: "Europe/Copenhagen")
    }
}

extension GroceryDeliveryAttributes.ContentState {
    static func any(_ version: Int, _ step: Int, _ phase: LiveActivity.Phase, _ arrival: Int?) -> Self {
        .init(
            headline: .init(code: phase.rawValue, text: phase.rawValue), phase: phase, progress: 0,
            arrival: arrival.map { .init(from: $0 - 300, to: $0) }, revision: .init(version: version, step: step))
    }
}

extension ActivityAlert {
    static func any(_ id: String, until: Int) -> ActivityAlert {
        .init(id: id, validUntil: until, title: .init(code: id, text: id), body: .init(code: id, text: id))
    }
}

extension PushToken: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {
        self.init(value: value, observedAt: noon, registeredAt: noon)
    }
}

extension Limits {
    static func of(_ device: Device) -> Limits {
        device.transport == .stream ? .stream : .apns
    }
}

extension Device {
    static func any(_ id: String = "phone", _ transport: Transport = .apns, customer: String = "mira") -> Device {
        let limits: Limits = transport == .stream ? .stream : .apns
        return Device(
            id: DeviceID(rawValue: id)!, customer: CustomerID(rawValue: customer)!, transport: transport,
            locale: "en", timeZone: "UTC", isEnabled: true, allowsFrequentPushes: true, appVersion: nil,
            pushToStartToken: "ab", registeredAt: noon, starts: TokenBucket(limits.starts, at: noon))
    }
}

extension Activity {
    init(_ step: ActivityStep, id: String = "a1", customer: String = "mira", isSummary: Bool = false) {
        self.init(
            id: ActivityID(rawValue: id)!, customer: CustomerID(rawValue: customer)!,
            delivery: isSummary ? nil : DeliveryID(UUID()), wanted: step)
    }
}

extension Card {
    static func any(
        of activity: Activity, on device: Device, _ state: State = .waiting, sent: ActivityStep? = nil,
        startedAt: Date? = nil, lastPushAt: Date? = nil, id: UUID = UUID()
    ) -> Card {
        var card = Card(
            id: id, activity: activity.id, device: device.id,
            urgentPushes: TokenBucket(Limits.of(device).urgentPushes, at: noon))
        card.state = state
        card.sent = sent
        card.urgentArrival = sent?.content.arrival?.to
        card.startedAt = startedAt
        card.lastPushAt = lastPushAt
        if device.transport == .apns, state == .active { card.updateToken = "cd" }
        return card
    }
}
