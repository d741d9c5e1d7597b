import Foundation
import OrderDomain

/// One delivery on a courier's page; the bags of one door are one stop, and so are those that go back to one store.
struct CourierStop: Sendable {
    let record: DeliveryRecord
    /// The courier's last press on the delivery; nil without one.
    let press: CourierPress?
    /// The readable number of the courier from whom the goods are to be fetched; nil without a hand-over or a number.
    var carrierPhone: String?

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
    /// The first two go stop by stop, by promise where no places are set, as estimates do before a fix; the bags of one
    /// stop stay together, in the order of their numbers.
    static func inOrder(_ stops: [CourierStop]) -> [CourierStop] {
        let sorted = stops.sorted { $0.place < $1.place }
        let firsts = Dictionary(sorted.enumerated().map { ($1.identity, $0) }) { first, _ in first }
        func place(_ stop: EnumeratedSequence<[CourierStop]>.Element) -> (Int, String, Int, Int) {
            let delivery = stop.element.delivery
            return (firsts[stop.element.identity] ?? 0, delivery.reference, delivery.bag.number, stop.offset)
        }
        return sorted.enumerated().sorted { place($0) < place($1) }.map(\.element)
    }

    /// The number of the stop of each delivery, from 1.
    ///
    /// - Parameter stops: in the order of the page.
    static func numbers(of stops: [CourierStop]) -> [Int] {
        var numbers: [Int] = []
        var former: String?
        for stop in stops {
            numbers.append((numbers.last ?? 0) + (stop.identity == former ? 0 : 1))
            former = stop.identity
        }
        return numbers
    }

    /// The customer's door, as an address or a place on earth: others at one address have doors of their own.
    var door: String {
        let place =
            record.dropOff?.address.map { $0.line.lowercased() }
            ?? "\(delivery.door.latitude) \(delivery.door.longitude)"
        return "\(delivery.customer) \(place)"
    }

    private var identity: String { "\(part) \(part == 2 ? delivery.store.id.rawValue : door)" }

    private var part: Int {
        switch delivery.status {
        case .handedOver(.returning): 2
        case .handedOver: 0
        case .preparing: 1
        }
    }

    private var place: (part: Int, stopsBefore: Int, end: Date, id: String) {
        (part, part == 2 ? 0 : delivery.stopsBefore, delivery.promise.end, delivery.id.rawValue)
    }
}
