package import HTTPTypes
package import Hummingbird
internal import NIOCore
internal import ServiceLifecycle

/// One event of a stream, in the format of the HTML standard's section 9.2.
package struct ServerSentEvent: Hashable, Sendable {
    /// The client's later `Last-Event-ID`; must have no line feed.
    package var id: String?
    /// The event's name; must have no line feed.
    package var event: String?
    /// May have line feeds.
    package var data: String

    package init(id: String? = nil, event: String? = nil, data: String) {
        self.id = id
        self.event = event
        self.data = data
    }

    /// Writes the event in the format of streams.
    func write(into buffer: inout ByteBuffer) {
        buffer.reserveCapacity(minimumWritableBytes: data.utf8.count + 64)
        if let id { buffer.writeLine("id: ", id) }
        if let event { buffer.writeLine("event: ", event) }
        if data.utf8.contains(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            // Bytes, since "\r\n" is one Character.
            for line in data.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                buffer.writeLine("data: ", String(decoding: line.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self))
            }
        } else {
            buffer.writeLine("data: ", data)
        }
        buffer.writeStaticString("\n")
    }
}

/// The source of one answer's events.
package protocol ServerSentEventSource: Sendable {
    /// The events that there are now, oldest first; empty where there are none, nil where there will be none.
    mutating func next() async throws -> [ServerSentEvent]?

    /// The events that it has in memory, after `StreamSignal.notifyUpdate`; none by default.
    mutating func nextUpdate() -> [ServerSentEvent]

    /// The events that ``next()`` would return without waiting; nil, the default, where it may have to wait.
    mutating func nextInMemory() -> [ServerSentEvent]?
}

extension ServerSentEventSource {
    package mutating func nextUpdate() -> [ServerSentEvent] { [] }
    package mutating func nextInMemory() -> [ServerSentEvent]? { nil }
}

extension ServerSentEventSource {
    /// Polls in a task of its own where it has to wait.
    fileprivate mutating func nextInOwnTask() async throws -> [ServerSentEvent]? {
        if let events = nextInMemory() { return events }
        let former = self
        let (source, events) = try await inOwnTask {
            var source = former
            let events = try await source.next()
            return (source, events)
        }
        self = source
        return events
    }
}

/// A streaming answer: `text/event-stream` with each event as it arrives, and a comment, or an event, at each
/// heartbeat.
///
/// It begins with the caller's reconnect delay. The stream polls its source at first, and whenever the signal fires. It
/// ends when the source ends, when the signal ends it, before an event that `isAllowed` rejects, when the caller closes
/// its end of the connection, when `DeadPeerDetection` finds that the caller has vanished, or when the process stops.
/// The signal's last event, where it has one, is written at the end. The caller's pace limits the source.
///
/// One task waits for one signal: a stream that waits costs neither another task nor a timer of its own. The source is
/// polled ``inOwnTask(_:)`` where it may wait, so that the stream's task keeps no memory of it.
///
/// - Parameters:
///   - context: of the request that it answers.
///   - heartbeat: for readers who cannot see a comment, as scripts of a page; nil writes one.
package func sseResponse(
    _ source: some ServerSentEventSource, on signal: StreamSignal, in context: AppContext,
    heartbeat: ServerSentEvent? = nil, isAllowed: @escaping @Sendable () -> Bool = { true }
) -> Response {
    // The body keeps no more of the request than this.
    let channel = context.channel
    return Response(
        status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .xAccelBuffering: "no"],
        body: ResponseBody { writer in
            channel.triggerUserOutboundEvent(StreamBegins(signal: signal), promise: nil)
            try await writer.write(ByteBuffer(string: "retry: \(reconnectMilliseconds)\n\n"))
            try await withGracefulShutdownHandler {
                var source = source
                signal.notify()
                waiting: while let wake = await signal.next(), isAllowed() {
                    var events: [ServerSentEvent] = []
                    switch wake {
                    case .heartbeat: break
                    case .update: events = source.nextUpdate()
                    case .events:
                        guard let all = try await source.nextInOwnTask() else { break waiting }
                        events = all
                    }
                    var buffer = ByteBuffer()
                    for event in events where isAllowed() {
                        event.write(into: &buffer)
                        guard buffer.readableBytes >= bytesPerWrite else { continue }
                        try await writer.write(buffer)
                        buffer = ByteBuffer()
                    }
                    if buffer.readableBytes > 0 { try await writer.write(buffer) }
                    // Events show as well as a heartbeat that the connection lives.
                    let isHeartbeatDue = wake == .heartbeat || signal.takeHeartbeat()
                    if isHeartbeatDue, events.isEmpty {
                        if let heartbeat { heartbeat.write(into: &buffer) } else { buffer.writeStaticString(":\n\n") }
                        try await writer.write(buffer)
                    }
                }
            } onGracefulShutdown: {
                signal.end()
            }
            if let lastEvent = signal.lastEvent {
                var buffer = ByteBuffer()
                lastEvent.write(into: &buffer)
                try await writer.write(buffer)
            }
            try await writer.finish(nil)
        })
}

/// Signals a connection that its present answer is a stream; the signal ends with the connection.
struct StreamBegins: Sendable {
    let signal: StreamSignal
}

/// The caller's reconnect delay; a stream that a restart ended comes back to another replica.
private let reconnectMilliseconds = 2_000

/// Bytes after which a stream writes the events that it has, and goes on with the others.
private let bytesPerWrite = 16 << 10

extension HTTPField.Name {
    /// Keeps a reverse proxy from buffering the events.
    static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!
    /// The id of the last event that a client received (HTML standard, section 9.2).
    package static let lastEventID = HTTPField.Name("Last-Event-ID")!
}

extension ByteBuffer {
    fileprivate mutating func writeLine(_ name: StaticString, _ value: String) {
        writeStaticString(name)
        writeString(value)
        writeStaticString("\n")
    }
}
