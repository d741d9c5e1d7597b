/// A connection that was asked for server-sent events: undoes the chunks, then separates the events.
final class EventStream {
    let socket: Socket
    /// The status of the answer; nil before it.
    private(set) var status: Int?
    var isOpen: Bool { status == 200 }
    private let request: [UInt8]
    private var events: [UInt8] = []

    init(port: Int, path: String, headers: [String] = []) throws {
        socket = try Socket(port: port)
        request = Request(method: "GET", path: path, headers: ["Accept: text/event-stream"] + headers).bytes(port: port)
    }

    /// Sends the request, once the poller waits for the socket.
    func ask() throws { try socket.send(request) }

    /// The events that are whole now, comments too, without the empty line that ends each.
    func read() throws -> [[UInt8]] {
        try socket.receive()
        if status == nil {
            guard let head = socket.input.firstRange(of: "\r\n\r\n") else { return [] }
            status = socket.input.number(at: 9)
            guard isOpen else {
                throw BenchFailure("a stream was refused: \(String(decoding: socket.input, as: UTF8.self))")
            }
            socket.input.removeSubrange(..<head.upperBound)
        }
        try decodeChunks()
        var whole: [[UInt8]] = []
        var start = 0
        while let end = events.firstRange(of: "\n\n", from: start) {
            whole.append(Array(events[start..<end.lowerBound]))
            start = end.upperBound
        }
        events.removeSubrange(..<start)
        return whole
    }

    private func decodeChunks() throws {
        var start = 0
        let input = socket.input
        while let line = input.firstRange(of: "\r\n", from: start) {
            let size = String(decoding: input[start..<line.lowerBound], as: UTF8.self)
            guard let length = Int(size, radix: 16) else {
                throw BenchFailure("a stream has no chunk where one is due")
            }
            guard length > 0 else { throw BenchFailure("a stream has ended") }
            let end = line.upperBound + length
            guard input.count >= end + 2 else { break }
            events += input[line.upperBound..<end]
            start = end + 2
        }
        socket.input.removeSubrange(..<start)
    }
}
