/// Every connection of the load on one thread: requests to two services, and the streams of devices and of pages.
final class EventLoop {
    private static let dispatchFirstID = 10_000
    private static let streamsFirstID = 20_000
    private static let pagesFirstID = 1_000_000
    private static let runSecondsMax = 300.0

    let orders: RequestPool
    let dispatch: RequestPool
    let streams: DeviceStreams
    let pages: PageStreams
    /// Called for each push on a stream.
    var shown: (DeviceStreams.CardUpdate) -> Void = { _ in }
    /// The newest version that each delivery's card has shown.
    private(set) var versions: [String: Int] = [:]
    private let poller: Poller
    private var failure: BenchFailure?

    /// - Parameter storeTokens: one connection to `orders` each.
    init(stack: Stack, storeTokens: [String]) throws {
        poller = try Poller()
        orders = try RequestPool(port: stack.ordersPort, tokens: storeTokens, poller: poller, firstID: 0)
        dispatch = try RequestPool(
            port: stack.dispatchPort, tokens: Array(repeating: "", count: 16), poller: poller,
            firstID: Self.dispatchFirstID)
        streams = DeviceStreams(port: stack.dispatchPort, poller: poller, firstID: Self.streamsFirstID)
        pages = PageStreams(port: stack.ordersPort, poller: poller, firstID: Self.pagesFirstID)
    }

    /// Makes the next `run` throw.
    func fail(_ doing: String, _ answer: Response) {
        failure = failure ?? BenchFailure("\(doing): \(answer.text)")
    }

    /// Handles events until `deadline`, or until one batch is handled.
    func run(until deadline: Instant) throws {
        for id in try poller.wait(until: min(deadline, pages.reopensAt)) {
            switch id {
            case Self.pagesFirstID...: try pages.read(id - Self.pagesFirstID)
            case Self.streamsFirstID...: try streams.read(id - Self.streamsFirstID).forEach(show)
            case Self.dispatchFirstID...: try dispatch.read(id - Self.dispatchFirstID)
            default: try orders.read(id)
            }
        }
        try pages.reopen()
        if let failure { throw failure }
    }

    private func show(_ push: DeviceStreams.CardUpdate) {
        versions[push.delivery] = push.version
        shown(push)
    }

    /// Sends `count` requests, each at its due time, however slow the answers are.
    ///
    /// - Parameter send: sends the request with this number, at its due time.
    func send(
        _ count: Int, perSecond rate: Double, from start: Instant, _ send: (Int, Instant) throws -> Void
    ) throws {
        func due(_ number: Int) -> Instant { start + .seconds(Double(number) / rate) }
        var sent = 0
        while sent < count {
            while sent < count, due(sent) <= now() {
                try send(sent, due(sent))
                sent += 1
            }
            try run(until: sent < count ? due(sent) : now())
        }
    }

    /// Handles events for as long, whatever comes.
    func run(seconds: Double) throws {
        let end = now() + .seconds(seconds)
        while now() < end { try run(until: end) }
    }

    /// Sends a request to `orders` and fails the run unless it is answered with 200.
    func require(_ request: Request, _ doing: String) throws {
        try orders.send(request) { [unowned self] answer in if answer.status != 200 { fail(doing, answer) } }
    }

    /// Handles events until every request is answered.
    func settle() throws { try run { orders.inFlight == 0 && dispatch.inFlight == 0 } }

    /// Handles events until the condition holds.
    func run(until isDone: () -> Bool) throws {
        let end = now() + .seconds(Self.runSecondsMax)
        while !isDone() {
            guard now() < end else { throw BenchFailure("no result within \(Self.runSecondsMax) s") }
            try run(until: now() + 10 * .millisecond)
        }
    }
}

/// The error that ended the run.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
