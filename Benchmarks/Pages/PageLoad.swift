/// An open-loop load of changes that open pages show: at a given rate, however slow the answers are.
///
/// A page's HTML has no version, so each change is recognised by a number of its own. The n-th change of a delivery
/// reports n pieces of an item as found, of more that were ordered, which the page's list shows as "only n in the bag".
/// Items alternate, and n only rises: the highest such number in an `order` event is the newest change that the page
/// shows, and everything before it has arrived as well. A page that shows a change before its answer was read has
/// latency 0, as in ``ChangeLatencies``.
final class PageLoad {
    private let deliveries: [String]
    private let pages: Int
    private let eventLoop: EventLoop
    private var arrivals: ChangeLatencies
    private var sent = 0
    private var refused = 0

    /// The result of changes on pages: a change counts once for each open page of its delivery.
    struct Outcome: Encodable {
        let sent: Int
        /// Changes that were not answered with 200.
        let refused: Int
        /// Answered changes, times the pages of their deliveries.
        let due: Int
        let arrived: Int
        let fromAnswerToArrival: Distribution
        let fromDueToArrival: Distribution
    }

    /// - Parameter pages: which are or will be opened; the i-th is of the delivery i modulo their number.
    init(deliveries: [String], pages: Int, eventLoop: EventLoop) {
        self.deliveries = deliveries
        self.pages = pages
        self.eventLoop = eventLoop
        arrivals = ChangeLatencies(shown: Array(repeating: 0, count: pages))
        eventLoop.pages.shown = { [unowned self] page, change in arrivals.show(page, version: change, at: now()) }
    }

    /// Sends changes at the rate for `seconds`, and waits for none of them; once, since numbers begin at 1.
    func send(changesPerSecond rate: Double, seconds: Double) throws {
        let total = Int(rate * seconds)
        guard (total - 1) / deliveries.count + 1 < LinkedDeliveries.quantity else {
            throw BenchFailure("\(rate) changes/s for \(seconds) s are more than can be told apart")
        }
        try eventLoop.send(total, perSecond: rate, from: now()) { try send($0, dueAt: $1) }
        sent = total
    }

    /// Waits for changes that have not arrived.
    func settle() throws -> Outcome {
        let deadline = now() + .seconds(OpenLoad.stragglerSeconds)
        while eventLoop.orders.inFlight > 0 || arrivals.arrived < arrivals.answered, now() < deadline {
            try eventLoop.run(until: deadline)
        }
        return Outcome(
            sent: sent, refused: refused + eventLoop.orders.inFlight, due: arrivals.answered,
            arrived: arrivals.arrived,
            fromAnswerToArrival: Distribution(arrivals.fromAnswer), fromDueToArrival: Distribution(arrivals.fromDue))
    }

    private func send(_ number: Int, dueAt: Instant) throws {
        let delivery = number % deliveries.count
        let change = number / deliveries.count + 1
        let item = (change - 1) % Workload.itemsPerDelivery + 1
        let call = Request.found(change, ofItem: item, in: deliveries[delivery])
        try eventLoop.orders.send(call) { [unowned self] answer in
            guard answer.status == 200 else {
                refused += 1
                return
            }
            let time = now()
            for page in stride(from: delivery, to: pages, by: deliveries.count) {
                arrivals.answer(page, version: change, dueAt: dueAt, at: time)
            }
        }
    }
}
