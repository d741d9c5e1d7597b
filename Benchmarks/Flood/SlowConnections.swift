/// Connections that each announce a body and send a byte of it a second, and open again when they are closed.
struct SlowConnections: Sendable {
    private static let bodyBytes = 60_000

    /// The heads of the requests, with the port that each goes to.
    let targets: [Target]
    /// To each target.
    let connections: Int

    struct Target: Sendable {
        let port: Int
        let path: String
        /// Nil for a request that says nothing about its caller.
        let token: String?
        var headers: [String] = []

        fileprivate var head: [UInt8] {
            var text = "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
            if let token { text += "Authorization: Bearer \(token)\r\n" }
            for header in headers { text += header + "\r\n" }
            return Array((text + "Content-Type: application/json\r\nContent-Length: \(bodyBytes)\r\n\r\n{").utf8)
        }
    }

    func run(until stop: StopSignal, _ answers: StatusCounts) throws {
        let poller = try Poller()
        let all = targets.flatMap { Array(repeating: $0, count: connections) }
        var sockets: [Socket] = []
        func open(_ index: Int) throws -> Socket {
            let socket = try Socket(port: all[index].port)
            try poller.add(socket.descriptor, id: index)
            try? socket.send(all[index].head)
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
