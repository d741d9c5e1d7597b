/// Keep-alive connections to one service with one request in flight on each; more wait in a queue.
///
/// HTTP/1.1 as our own server speaks it on loopback: every answer has a content length.
final class RequestPool {
    private final class Connection {
        var socket: Socket
        let token: String
        var answered: ((Response) -> Void)?

        init(_ socket: Socket, token: String) {
            self.socket = socket
            self.token = token
        }
    }

    private let connections: [Connection]
    private let port: Int
    private let poller: Poller
    private let firstID: Int
    private var idle: [Int]
    private let isLossAnswered: Bool
    private var queue: [(call: Request, answered: (Response) -> Void)] = []
    private var queueHead = 0

    /// - Parameters:
    ///   - tokens: one connection each, so that no caller meets its rate limit.
    ///   - firstID: the poller's id of the first connection.
    ///   - isLossAnswered: whether a request whose connection ends is answered with status 0; else the run fails.
    init(port: Int, tokens: [String], poller: Poller, firstID: Int, isLossAnswered: Bool = false) throws {
        self.port = port
        self.isLossAnswered = isLossAnswered
        self.poller = poller
        self.firstID = firstID
        connections = try tokens.map { Connection(try Socket(port: port), token: $0) }
        idle = Array(tokens.indices)
        for (index, connection) in connections.enumerated() {
            try poller.add(connection.socket.descriptor, id: firstID + index)
        }
    }

    /// Connections to a service that no other socket is waited for with.
    convenience init(port: Int, tokens: [String]) throws {
        try self.init(port: port, tokens: tokens, poller: try Poller(), firstID: 0)
    }

    /// Handles the responses that come until `deadline`, or one batch of them; where no other socket is waited for.
    func run(until deadline: Instant) throws {
        for id in try poller.wait(until: deadline) { try read(id) }
    }

    /// Requests sent or queued without a response.
    var inFlight: Int { connections.count - idle.count + queue.count - queueHead }

    /// Sends the request as soon as a connection is free.
    func send(_ call: Request, answered: @escaping (Response) -> Void) throws {
        // Round robin, so that no connection is idle until the service closes it.
        if !idle.isEmpty {
            let index = idle.removeFirst()
            try send(call, on: index, answered)
        } else {
            queue.append((call, answered))
        }
    }

    private func send(_ call: Request, on index: Int, _ answered: @escaping (Response) -> Void) throws {
        let connection = connections[index]
        connection.answered = answered
        var call = call
        call.token = call.token ?? connection.token
        do {
            try connection.socket.send(call.bytes(port: port))
        } catch  where isLossAnswered {
            // The next read fails too, and answers.
        }
    }

    /// Reads from a connection and passes on its response if it is complete.
    func read(_ index: Int) throws {
        let connection = connections[index]
        do {
            try connection.socket.receive()
        } catch  where connection.answered == nil || isLossAnswered {
            // Idle for too long, or closed in the middle.
            connection.socket = try Socket(port: port)
            try poller.add(connection.socket.descriptor, id: firstID + index)
            if connection.answered != nil { try finish(index, Response(status: 0, version: nil, body: [])) }
            return
        }
        let input = connection.socket.input
        guard let head = input.firstRange(of: "\r\n\r\n"),
            let length = headerNumber("content-length: ", "Content-Length: ", in: input, upTo: head.lowerBound)
        else { return }
        let end = head.upperBound + length
        guard input.count >= end, let status = input.number(at: 9) else { return }
        let version = headerNumber("etag: \"v", "ETag: \"v", in: input, upTo: head.lowerBound)
        connection.socket.input = []
        try finish(index, Response(status: status, version: version, body: Array(input[head.upperBound..<end])))
    }

    /// Passes the response to its request, and gives the connection to the next request.
    private func finish(_ index: Int, _ response: Response) throws {
        let connection = connections[index]
        let answered = connection.answered
        connection.answered = nil
        if queueHead < queue.count {
            let next = queue[queueHead]
            queueHead += 1
            if queueHead == queue.count {
                queue = []
                queueHead = 0
            }
            try send(next.call, on: index, next.answered)
        } else {
            idle.append(index)
        }
        answered?(response)
    }

    private func headerNumber(
        _ name: StaticString, _ alternative: StaticString, in input: [UInt8], upTo end: Int
    ) -> Int? {
        guard let found = input.firstRange(of: name) ?? input.firstRange(of: alternative), found.upperBound < end
        else { return nil }
        return input.number(at: found.upperBound)
    }
}
