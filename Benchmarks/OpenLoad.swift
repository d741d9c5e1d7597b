/// An open-loop load: changes at a given rate, however slow the responses are.
///
/// The change is one item of a delivery in picking, found once and found short the next time, reported by a workload. It
/// raises the delivery's version, `orders` holds the baton, and the customer's card shows how many items were found.
final class OpenLoad {
    /// Seconds between two changes of one delivery, so that the cards' throttle of one push a second does not count.
    static let secondsBetweenChanges = 5.0
    /// Seconds after the last change within which a sustained rate has everything on the streams.
    static let graceSeconds = 0.5
    /// Seconds to wait for stragglers, so that they do not disturb the next step.
    static let stragglerSeconds = 30.0

    private let workload: Workload
    private let eventLoop: EventLoop
    private var arrivals: ChangeLatencies
    private var changes = 0

    init(workload: Workload, eventLoop: EventLoop) {
        self.workload = workload
        self.eventLoop = eventLoop
        arrivals = ChangeLatencies(shown: workload.deliveries.map { eventLoop.versions[$0] ?? 0 })
        eventLoop.shown = { [unowned self] shown in
            guard let index = workload.indexes[shown.delivery] else { return }
            arrivals.show(index, version: shown.version, at: now())
        }
    }

    /// The highest rate in changes a second that the number of deliveries allows.
    var rateMax: Double { Double(workload.deliveries.count) / Self.secondsBetweenChanges }

    /// The result of a step at one rate.
    struct Outcome: Codable {
        let changesPerSecond: Double
        let seconds: Double
        let sent: Int
        let refused: Int
        let arrivedInTime: Int
        let arrived: Int
        /// The rate until the last arrival.
        let arrivalsPerSecond: Double
        let isKeptUpWith: Bool
        let fromAnswerToArrival: Distribution
        let fromDueToArrival: Distribution
        let fromDueToAnswer: Distribution
    }

    /// Sends changes at the rate for `seconds`, and waits for the rest to arrive.
    func step(changesPerSecond rate: Double, seconds: Double) throws -> Outcome {
        arrivals.begin()
        let start = now() + 10 * .millisecond
        let total = try send(changesPerSecond: rate, seconds: seconds, from: start)
        let end = start + .seconds(Double(total) / rate)
        try settle(total, by: end + .seconds(Self.graceSeconds))
        let inTime = arrivals.arrived
        try settle(total, by: end + .seconds(Self.stragglerSeconds))
        let elapsed = (max(arrivals.lastArrivalAt, start + 1) - start).inSeconds
        return Outcome(
            changesPerSecond: rate, seconds: seconds, sent: total, refused: arrivals.refused, arrivedInTime: inTime,
            arrived: arrivals.arrived,
            arrivalsPerSecond: (Double(arrivals.arrived) / max(elapsed, seconds)).rounded(to: 1),
            isKeptUpWith: arrivals.refused == 0 && Double(inTime) >= 0.99 * Double(total),
            fromAnswerToArrival: Distribution(arrivals.fromAnswer), fromDueToArrival: Distribution(arrivals.fromDue),
            fromDueToAnswer: Distribution(arrivals.untilAnswer))
    }

    /// Sends changes at the rate for `seconds`, and waits for none of them.
    ///
    /// Later arrivals count until the next ``step(changesPerSecond:seconds:)``.
    /// - Returns: the number of sent changes.
    @discardableResult
    func send(changesPerSecond rate: Double, seconds: Double, from start: Instant = now()) throws -> Int {
        guard rate <= rateMax else { throw BenchFailure("\(rate)/s needs more deliveries than there are") }
        let total = Int(rate * seconds)
        try eventLoop.send(total, perSecond: rate, from: start) { try send(dueAt: $1) }
        return total
    }

    /// The numbers of answered changes that have not arrived, and of refused ones.
    var unarrived: (all: Int, refused: Int) { (arrivals.answered - arrivals.arrived, arrivals.refused) }

    /// Answered changes that were due before a time and have not arrived.
    func unarrived(dueBefore time: Instant) -> Int { arrivals.unarrived(dueBefore: time) }

    private func settle(_ total: Int, by deadline: Instant) throws {
        while arrivals.arrived + arrivals.refused < total, now() < deadline { try eventLoop.run(until: deadline) }
    }

    private func send(dueAt: Instant) throws {
        let delivery = changes % workload.deliveries.count
        let round = changes / workload.deliveries.count
        changes += 1
        try eventLoop.orders.send(.change(round, of: workload.deliveries[delivery])) { [unowned self] answer in
            guard answer.status == 200, let version = answer.version else { return arrivals.refuse() }
            arrivals.answer(delivery, version: version, dueAt: dueAt, at: now())
        }
    }
}
