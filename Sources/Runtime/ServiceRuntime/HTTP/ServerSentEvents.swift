internal import AsyncAlgorithms
internal import HTTPTypes
package import Hummingbird
internal import ServiceLifecycle

/// One event of a stream, as the HTML standard's section 9.2 has it.
package struct ServerSentEvent: Hashable, Sendable {
    /// What a client sends back as `Last-Event-ID`; must have no line feed.
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

    var text: String {
        var text = ""
        if let id { text += "id: \(id)\n" }
        if let event { text += "event: \(event)\n" }
        // Scalars, since "\r\n" is one Character.
        var line = "data: "
        for scalar in data.unicodeScalars where scalar != "\r" {
            if scalar == "\n" {
                text += line + "\n"
                line = "data: "
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return text + line + "\n\n"
    }
}

/// An answer that goes on: `text/event-stream` with each event as it comes, and a comment when none came for a while.
///
/// It begins with how long a caller waits before it connects again. It ends when `events` ends, when `lifetime` has
/// passed, before a piece that `isAllowed` does not allow, or when the process is asked to stop; and it fails when the
/// caller went away, which the next write notices. The caller's pace holds `events` back, so their source must be
/// bounded.
package func sseResponse(
    _ events: some AsyncSequence<ServerSentEvent, any Error> & Sendable, lifetime: Duration? = nil,
    heartbeat: Duration = .seconds(15), isAllowed: @escaping @Sendable () -> Bool = { true }
) -> Response {
    Response(
        status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .xAccelBuffering: "no"],
        body: ResponseBody { writer in
            try await writer.write(ByteBuffer(string: "retry: \(reconnectMilliseconds)\n\n"))
            let pieces = merge(
                chain(events.map { StreamPiece.event($0) }, [StreamPiece.end].async),
                Heartbeats(every: heartbeat, for: lifetime)
            ).cancelOnGracefulShutdown()
            pieces: for try await piece in pieces {
                guard isAllowed() else { break }
                switch piece {
                case .event(let event): try await writer.write(ByteBuffer(string: event.text))
                case .heartbeat: try await writer.write(ByteBuffer(string: ":\n\n"))
                case .end: break pieces
                }
            }
            try await writer.finish(nil)
        })
}

/// How long a caller waits before it connects again; a stream that a restart ended comes back to another replica.
private let reconnectMilliseconds = 2_000

enum StreamPiece: Hashable, Sendable {
    case event(ServerSentEvent)
    case heartbeat
    case end
}

/// A heartbeat every so often, and the end when the time is over.
struct Heartbeats: AsyncSequence, Sendable {
    typealias Element = StreamPiece
    typealias Failure = any Error
    let every: Duration
    let end: ContinuousClock.Instant?

    init(every: Duration, for lifetime: Duration?) {
        self.every = every
        end = lifetime.map { .now + $0 }
    }

    struct Iterator: AsyncIteratorProtocol {
        let every: Duration
        let end: ContinuousClock.Instant?

        func next() async throws -> StreamPiece? {
            let beat = ContinuousClock.now + every
            guard let end, end <= beat else {
                try await Task.sleep(until: beat, clock: .continuous)
                return .heartbeat
            }
            try await Task.sleep(until: end, clock: .continuous)
            return .end
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(every: every, end: end) }
}

extension HTTPField.Name {
    /// Keeps a reverse proxy from buffering the events.
    static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
