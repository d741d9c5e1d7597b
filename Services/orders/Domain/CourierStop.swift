import Foundation
import OrderDomain

/// One delivery on a courier's page.
struct CourierStop: Sendable {
    let record: DeliveryRecord
    /// The courier's last press on the delivery; nil without one.
    let press: CourierPress?

    var delivery: Delivery { record.delivery }

    /// A press that can be undone still.
    var waiting: CourierPress? { press.flatMap { $0.state == .waiting ? $0 : nil } }

    /// The delivery after its waiting press.
    ///
    /// - Parameter now: domain time.
    func expected(at now: Date) -> Delivery {
        guard let waiting, waiting.action.isLegal(for: delivery) else { return delivery }
        var next = delivery
        // A press that the delivery refuses leaves it unchanged, and its execution reports the refusal.
        _ = try? next.apply(waiting.action.change, at: now)
        return next
    }

    /// Orders the stops of a day: picked-up deliveries, deliveries to fetch, and then returns.
    ///
    /// The first two go stop by stop, by promise where no places are set, as estimates do.
    static func inOrder(_ stops: [CourierStop]) -> [CourierStop] {
        stops.sorted { $0.place < $1.place }
    }

    private var place: (part: Int, stopsBefore: Int, end: Date, id: String) {
        let part =
            switch delivery.status {
            case .handedOver(.returning): 2
            case .handedOver: 0
            case .preparing: 1
            }
        return (part, part == 2 ? 0 : delivery.stopsBefore, delivery.promise.end, delivery.id.rawValue)
    }
}
