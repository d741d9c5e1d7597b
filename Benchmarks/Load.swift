/// Changes at a given rate, whatever becomes of them: an open loop.
///
/// The change is one item of a delivery in picking, found once and found short the next time, reported by a shop. It
/// raises the delivery's version, `orders` holds the baton, and the customer's card says how many items were found.
final class Load {
    /// Seconds between two changes of one delivery, so that the cards' throttle of one push a second does not count.
    static let secondsBetweenChanges = 5.0
    /// Seconds after the last change within which a rate that is kept up with has everything on the streams.
    static let graceSeconds = 0.5
    /// Seconds that stragglers are waited for, so that one step's do not disturb the next.
    private static let stragglerSeconds = 30.0

    private let shop: Shop
    private let engine: Engine
    private var arrivals: Arrivals
    private var changes = 0

    init(shop: Shop, engine: Engine) {
        self.shop = shop
        self.engine = engine
        arrivals = Arrivals(shown: shop.deliveries.map { engine.versions[$0] ?? 0 })
        engine.shown = { [unowned self] shown in
            guard let index = shop.indexes[shown.delivery] else { return }
            arrivals.show(index, version: shown.version, at: now())
        }
    }

    /// The highest rate that so many deliveries allow.
    var rateMax: Double { Double(shop.deliveries.count) / Self.secondsBetweenChanges }

    /// What a rate came to.
    struct Outcome: Codable {
        let changesPerSecond: Double
        let seconds: Double
        let sent: Int
        let refused: Int
        let arrivedInTime: Int
        let arrived: Int
        /// Until the last arrival.
        let arrivalsPerSecond: Double
        let isKeptUpWith: Bool
        let fromAnswerToArrival: Distribution
        let fromDueToArrival: Distribution
        let fromDueToAnswer: Distribution
    }

    /// Sends changes at the rate for so long, and waits for what is still to come.
    func step(changesPerSecond rate: Double, seconds: Double) throws -> Outcome {
        guard rate <= rateMax else { throw BenchFailure("\(rate)/s needs more deliveries than there are") }
        arrivals.begin()
        let total = Int(rate * seconds)
        let start = now() + 10 * .millisecond
        func due(_ number: Int) -> Instant { start + .seconds(Double(number) / rate) }
        var sent = 0
        while sent < total {
            while sent < total, due(sent) <= now() {
                try send(dueAt: due(sent))
                sent += 1
            }
            try engine.turn(until: sent < total ? due(sent) : now())
        }
        let end = due(total)
        try settle(total, by: end + .seconds(Self.graceSeconds))
        let inTime = arrivals.arrived
        try settle(total, by: end + .seconds(Self.stragglerSeconds))
        let elapsed = (max(arrivals.lastArrivalAt, start + 1) - start).inSeconds
        return Outcome(
            changesPerSecond: rate, seconds: seconds, sent: total, refused: arrivals.refused, arrivedInTime: inTime,
            arrived: arrivals.arrived,
            arrivalsPerSecond: (Double(arrivals.arrived) / max(elapsed, seconds) * 10).rounded() / 10,
            isKeptUpWith: arrivals.refused == 0 && Double(inTime) >= 0.99 * Double(total),
            fromAnswerToArrival: Distribution(arrivals.fromAnswer), fromDueToArrival: Distribution(arrivals.fromDue),
            fromDueToAnswer: Distribution(arrivals.untilAnswer))
    }

    /// Makes one change of the first delivery and waits for it.
    ///
    /// - Returns: the event in which it arrived.
    func changeOne() throws -> DeviceStreams.Shown {
        arrivals.begin()
        var event: DeviceStreams.Shown?
        let usual = engine.shown
        engine.shown = { shown in
            usual(shown)
            if shown.delivery == self.shop.deliveries[0] { event = shown }
        }
        defer { engine.shown = usual }
        changes += shop.deliveries.count - changes % shop.deliveries.count
        try send(dueAt: now())
        try engine.turn { self.arrivals.arrived == 1 && event != nil }
        guard let event else { throw BenchFailure("a change without an event") }
        return event
    }

    private func settle(_ total: Int, by deadline: Instant) throws {
        while arrivals.arrived + arrivals.refused < total, now() < deadline { try engine.turn(until: deadline) }
    }

    private func send(dueAt: Instant) throws {
        let delivery = changes % shop.deliveries.count
        let round = changes / shop.deliveries.count
        changes += 1
        let item = round / 2 % Shop.itemsPerDelivery + 1
        let call = Call(
            method: "PATCH", path: "/v1/deliveries/\(shop.deliveries[delivery])/items/item-\(item)",
            body: #"{"status":"found","quantity":\#(round.isMultiple(of: 2) ? 1 : 2)}"#)
        try engine.orders.send(call) { [unowned self] answer in
            guard answer.status == 200, let version = answer.version else { return arrivals.refuse() }
            arrivals.answer(delivery, version: version, dueAt: dueAt, at: now())
        }
    }
}
