/// The open event streams of all devices.
final class DeviceStreams {
    /// A delivery's card as a push to a device showed it.
    struct CardUpdate {
        let delivery: String
        let version: Int
        /// The whole event's data.
        let data: [UInt8]
    }

    private var streams: [DeviceStream] = []
    private let poller: Poller
    private let port: Int
    private let firstID: Int

    init(port: Int, poller: Poller, firstID: Int) {
        self.port = port
        self.poller = poller
        self.firstID = firstID
    }

    /// Streams that were asked for and not answered.
    private(set) var opening = 0

    func open(device: String, token: String) throws {
        let stream = DeviceStream(try Socket(port: port))
        try poller.add(stream.socket.descriptor, id: firstID + streams.count)
        streams.append(stream)
        opening += 1
        try stream.socket.send(
            Array(
                """
                GET /v1/devices/\(device)/stream HTTP/1.1\r
                Host: 127.0.0.1:\(port)\r
                Authorization: Bearer \(token)\r
                Accept: text/event-stream\r\n\r\n
                """.utf8))
    }

    /// The pushes that a stream has more of.
    func read(_ index: Int) throws -> [CardUpdate] {
        let wasOpen = streams[index].isOpen
        let shown = try streams[index].read()
        if !wasOpen, streams[index].isOpen { opening -= 1 }
        return shown
    }
}

/// One stream: undoes the chunks, then the events.
private final class DeviceStream {
    let socket: Socket
    private(set) var isOpen = false
    private var events: [UInt8] = []

    init(_ socket: Socket) { self.socket = socket }

    func read() throws -> [DeviceStreams.CardUpdate] {
        try socket.receive()
        if !isOpen {
            guard let head = socket.input.firstRange(of: "\r\n\r\n") else { return [] }
            guard socket.input.number(at: 9) == 200 else {
                throw BenchFailure("a stream was refused: \(String(decoding: socket.input, as: UTF8.self))")
            }
            socket.input.removeSubrange(..<head.upperBound)
            isOpen = true
        }
        try takeChunks()
        var shown: [DeviceStreams.CardUpdate] = []
        var start = 0
        while let end = events.firstRange(of: "\n\n", from: start) {
            if let one = DeviceStreams.CardUpdate(Array(events[start..<end.lowerBound])) { shown.append(one) }
            start = end.upperBound
        }
        events.removeSubrange(..<start)
        return shown
    }

    private func takeChunks() throws {
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

extension DeviceStreams.CardUpdate {
    /// Nil for a heartbeat and a summary's card.
    fileprivate init?(_ event: [UInt8]) {
        guard let key = event.firstRange(of: "\"delivery\":\""),
            let revision = event.firstRange(of: "\"revision\":{", from: key.upperBound),
            let version = event.firstRange(of: "\"version\":", from: revision.upperBound),
            let number = event.number(at: version.upperBound),
            let end = event[key.upperBound...].firstIndex(of: UInt8(ascii: "\"")),
            let data = event.firstRange(of: "data: ")
        else { return nil }
        self.init(
            delivery: String(decoding: event[key.upperBound..<end], as: UTF8.self), version: number,
            data: Array(event[data.upperBound...]))
    }
}
