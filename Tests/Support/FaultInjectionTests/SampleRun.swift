import FaultInjection
import OrderDomain

/// A run in which everything is right.
///
/// A customer has three live deliveries and one that has ended, and two devices. A provider brings one more, of another
/// customer.
struct SampleRun {
    var ledger = Ledger()
    var snapshot = StackSnapshot()

    static let live = ["d-1", "d-2", "d-3"]
    static let ended = "d-4"
    static let brought = "d-5"
    static let reports = ["uber pickup at 10", "uber delivered at 20"]

    init() {
        for delivery in Self.live { add(delivery, [.accepted, .picking]) }
        add(Self.ended, [.accepted, .picking, .cancelled])
        addBrought()
        snapshot.boardCount = 3
        ledger.fixed("courier-1", at: [1_000, 2_000])
        snapshot.fixes["courier-1"] = [1_000, 2_000, 3_000]
        snapshot.wanted.append(.init(activity: "summary", delivery: nil, version: 9, hasEnded: false, isDue: true))
        for device in ["phone", "tablet"] {
            var cards = snapshot.records.filter { $0.customer == "mette" }.map { record in
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
                version: lines.count, episode: 1, activity: "\(delivery)-1", hasEnded: hasEnded, lines: lines,
                events: Set(lines.map { .init(version: $0.version, type: "delivery.\($0.version)") })))
        snapshot.events[delivery] = lines.map { .init(version: $0.version, type: "delivery.\($0.version)") }
        snapshot.wanted.append(
            .init(
                activity: "\(delivery)-1", delivery: delivery, version: lines.count, hasEnded: hasEnded, isDue: true))
    }

    /// A delivery of which a provider reported its end first, and then what had led to it.
    private mutating func addBrought() {
        let delivery = Self.brought
        ledger.placed("order-\(delivery)", deliveries: [delivery])
        ledger.named(delivery)
        ledger.reported(Self.reports, of: delivery)
        snapshot.orders["order-\(delivery)"] = 1
        func line(_ version: Int, _ kind: String, _ what: String, _ report: String? = nil)
            -> StackSnapshot.DeliveryRecord.Line
        {
            .init(version: version, kind: kind, what: what, by: "uber", reason: nil, report: report)
        }
        let events: [StackSnapshot.Event] = [
            .init(version: 1, type: "delivery.placed"), .init(version: 2, type: "delivery.delivered"),
        ]
        snapshot.records.append(
            .init(
                delivery: delivery, customer: "jonas", status: .delivered, phase: "ended", version: 2, episode: 1,
                activity: "\(delivery)-1", hasEnded: true,
                lines: [
                    line(1, "placed", "placed"), line(2, "report", "accepted, picking"),
                    line(2, "report", "delivered: placed/assigned → delivered, Sam", Self.reports[1]),
                    line(2, "report", "pickup: late", Self.reports[0]),
                ], events: Set(events)))
        snapshot.events[delivery] = events
        snapshot.wanted.append(
            .init(activity: "\(delivery)-1", delivery: delivery, version: 2, hasEnded: true, isDue: true))
    }
}
