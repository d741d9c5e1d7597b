import FaultInjection
import OrderDomain

/// A run in which everything is right: a customer with three live deliveries and one that has ended, and two devices.
struct SampleRun {
    var ledger = Ledger()
    var snapshot = StackSnapshot()

    static let live = ["d-1", "d-2", "d-3"]
    static let ended = "d-4"

    init() {
        for delivery in Self.live { add(delivery, [.accepted, .picking]) }
        add(Self.ended, [.accepted, .picking, .cancelled])
        ledger.fixed("courier-1", at: [1_000, 2_000])
        snapshot.fixes["courier-1"] = [1_000, 2_000, 3_000]
        snapshot.wanted.append(.init(activity: "summary", delivery: nil, version: 9, hasEnded: false, isDue: true))
        for device in ["phone", "tablet"] {
            var cards = snapshot.records.map { record in
                StackSnapshot.Screen.Card(
                    card: "\(device)-\(record.delivery)", activity: record.activity, delivery: record.delivery,
                    version: record.version, phase: record.phase, headline: record.status.rawValue, count: nil,
                    isLive: !record.hasEnded)
            }
            cards.append(
                .init(
                    card: "\(device)-summary", activity: "summary", delivery: nil, version: 9, phase: "several",
                    headline: "summary", count: 3, isLive: true))
            snapshot.screens.append(.init(device: device, customer: "mette", cards: cards, violations: []))
        }
        snapshot.backlogs = ["outbox of orders": 0]
        snapshot.faultCounts = ["dead letters of orders": 0]
    }

    var violations: [Violation] { Oracle(ledger, snapshot).violations }

    private mutating func add(_ delivery: String, _ statuses: [StatusCode]) {
        ledger.placed("order-\(delivery)", deliveries: [delivery])
        snapshot.orders["order-\(delivery)"] = 1
        var lines = [
            StackSnapshot.DeliveryRecord.Line(
                version: 1, kind: "placed", what: "placed", by: "store nordhavn", reason: nil)
        ]
        for (index, status) in statuses.enumerated() {
            let marker = "mark-\(delivery)-\(index)-"
            ledger.asked(.init(delivery: delivery, marker: marker, status: status))
            ledger.settled(marker, of: delivery, .acknowledged)
            lines.append(
                .init(
                    version: lines.count + 1, kind: "status", what: "before → \(status.rawValue)", by: "store nordhavn",
                    reason: marker))
        }
        let status = statuses.last ?? .placed
        let hasEnded = status == .cancelled
        snapshot.records.append(
            .init(
                delivery: delivery, customer: "mette", status: status, phase: hasEnded ? "ended" : "picking",
                version: lines.count, episode: 1, activity: "\(delivery)-1", hasEnded: hasEnded, lines: lines))
        snapshot.wanted.append(
            .init(
                activity: "\(delivery)-1", delivery: delivery, version: lines.count, hasEnded: hasEnded, isDue: true))
    }
}
