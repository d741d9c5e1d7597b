/// Every connection of the load on one thread: requests to two services, and the devices' streams.
final class Engine {
    private static let dispatchFirstID = 10_000
    private static let streamsFirstID = 20_000
    private static let turnSecondsMax = 300.0

    let orders: Requests
    let dispatch: Requests
    let streams: DeviceStreams
    /// Called for each push on a stream.
    var shown: (DeviceStreams.Shown) -> Void = { _ in }
    /// The newest version that each delivery's card has shown.
    private(set) var versions: [String: Int] = [:]
    private let poller: Poller
    private var failure: BenchFailure?

    /// - Parameter storeTokens: one connection to `orders` each.
    init(stack: Stack, storeTokens: [String]) throws {
        poller = try Poller()
        orders = try Requests(port: stack.ordersPort, tokens: storeTokens, poller: poller, firstID: 0)
        dispatch = try Requests(
            port: stack.dispatchPort, tokens: Array(repeating: "", count: 16), poller: poller,
            firstID: Self.dispatchFirstID)
        streams = DeviceStreams(port: stack.dispatchPort, poller: poller, firstID: Self.streamsFirstID)
    }

    /// Has the run end with an error at the next turn.
    func fail(_ doing: String, _ answer: Answer) {
        failure =
            failure ?? BenchFailure("\(doing): \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
    }

    /// Works on what arrives until `deadline`, or until something has arrived.
    func turn(until deadline: Instant) throws {
        for id in try poller.wait(until: deadline) {
            switch id {
            case Self.streamsFirstID...: try streams.read(id - Self.streamsFirstID).forEach(show)
            case Self.dispatchFirstID...: try dispatch.read(id - Self.dispatchFirstID)
            default: try orders.read(id)
            }
        }
        if let failure { throw failure }
    }

    private func show(_ push: DeviceStreams.Shown) {
        versions[push.delivery] = push.version
        shown(push)
    }

    /// Works on what arrives until the condition holds.
    func turn(until isDone: () -> Bool) throws {
        let end = now() + .seconds(Self.turnSecondsMax)
        while !isDone() {
            guard now() < end else { throw BenchFailure("nothing came of it in \(Self.turnSecondsMax) s") }
            try turn(until: now() + 10 * .millisecond)
        }
    }
}

/// Why there is no result.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
