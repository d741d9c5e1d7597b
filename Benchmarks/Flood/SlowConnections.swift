/// Connections that each announce a body and send a byte of it a second, and open again when they are closed.
struct SlowConnections: Sendable {
    private static let bodyBytes = 60_000

    /// The requests, whose bodies never complete, with each one's port.
    let targets: [(port: Int, request: Request)]
    /// Connections to each target.
    let connections: Int

    func run(until stop: StopSignal, _ answers: StatusCounts) throws {
        let poller = try Poller()
        let all = targets.flatMap { Array(repeating: $0, count: connections) }
        var sockets: [Socket] = []
        func open(_ index: Int) throws -> Socket {
            let (port, request) = all[index]
            let socket = try Socket(port: port)
            try poller.add(socket.descriptor, id: index)
            try? socket.send(Array((request.head(port: port, bodyBytes: Self.bodyBytes) + "{").utf8))
            return socket
        }
        for index in all.indices {
            if stop.isRaised { return }
            sockets.append(try open(index))
        }
        var nextByteAt = now() + .second
        while !stop.isRaised {
            for index in try poller.wait(until: min(nextByteAt, now() + 50 * .millisecond)) {
                var isClosed = false
                do { try sockets[index].receive() } catch { isClosed = true }
                let status = sockets[index].input.isEmpty ? nil : sockets[index].input.number(at: 9)
                guard isClosed || status != nil else { continue }
                answers.add(status ?? 0)
                sockets[index] = try open(index)
            }
            guard now() >= nextByteAt else { continue }
            nextByteAt += .second
            for socket in sockets { try? socket.send([UInt8(ascii: " ")]) }
        }
    }
}
