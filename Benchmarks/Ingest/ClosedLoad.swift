/// A closed-loop load: keeps every connection to one service busy, so that the service sets the pace.
final class ClosedLoad {
    private let requests: RequestPool
    private let connections: Int
    private var failure: (any Error)?

    init(port: Int, connections: Int) throws {
        requests = try RequestPool(port: port, tokens: Array(repeating: "", count: connections))
        self.connections = connections
    }

    /// The result of one part of the run.
    struct Outcome {
        var answered = 0
        var seconds = 0.0
        /// Latencies from request to answer.
        var latencies: [Instant] = []

        var perSecond: Double { Double(answered) / seconds }
    }

    /// Sends `count` requests, by number.
    ///
    /// - Throws: the error of `answered`.
    func run(
        count: Int, call: @escaping (Int) -> Request, answered: @escaping (Int, Response) throws -> Void
    ) throws {
        _ = try drive(until: { $0 >= count }, call: call, answered: answered)
    }

    /// Sends requests for `seconds`.
    func run(
        seconds: Double, call: @escaping (Int) -> Request, answered: @escaping (Int, Response) throws -> Void
    ) throws -> Outcome {
        let end = now() + .seconds(seconds)
        return try drive(until: { _ in now() >= end }, call: call, answered: answered)
    }

    private func drive(
        until isEnough: @escaping (Int) -> Bool, call: @escaping (Int) -> Request,
        answered: @escaping (Int, Response) throws -> Void
    ) throws -> Outcome {
        var outcome = Outcome()
        var sent = 0
        let start = now()
        func send() throws {
            guard failure == nil, !isEnough(sent) else { return }
            let number = sent
            let sentAt = now()
            sent += 1
            try requests.send(call(number)) { answer in
                outcome.answered += 1
                outcome.latencies.append(now() - sentAt)
                do {
                    try answered(number, answer)
                    try send()
                } catch {
                    self.failure = error
                }
            }
        }
        for _ in 0..<connections { try send() }
        while requests.inFlight > 0, failure == nil { try requests.run(until: now() + 10 * .millisecond) }
        if let failure { throw failure }
        outcome.seconds = (now() - start).inSeconds
        return outcome
    }
}
