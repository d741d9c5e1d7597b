import OrderDomain
import ServiceLifecycle
import ServiceRuntime
import Synchronization

/// The event streams that are open in this process, what each of them follows, and what wakes them.
final class StreamRegistry: Service {
    /// Open streams of one session; one more is refused with 429.
    static let streamsPerSessionMax = 12
    /// Without anything for so long, a stream is sent a heartbeat.
    static let heartbeatSeconds = 15
    /// A delivery is read once more so long after something of it changed: its screens follow within that.
    static let followUpSeconds = 2

    private struct Stream {
        let signal: StreamSignal
        let delivery: DeliveryID?
        let reader: SignedIn
        /// In seconds of this process; 0 for not.
        var followUpAt: Int
        var heartbeatAt: Int
    }

    private struct State {
        var streams: [Int: Stream] = [:]
        var number = 0
        var second = 0
    }

    private let state = Mutex(State())

    /// One open stream; it is forgotten with the last reference to this.
    final class Slot: Sendable {
        let signal: StreamSignal
        private let close: @Sendable () -> Void

        fileprivate init(_ signal: StreamSignal, close: @escaping @Sendable () -> Void) {
            self.signal = signal
            self.close = close
        }

        deinit { close() }
    }

    /// - Parameters:
    ///   - delivery: what it follows; nil for everything.
    ///   - reader: who has the page.
    /// - Returns: nil where the reader's session has its share already.
    func open(_ delivery: DeliveryID?, for reader: SignedIn) -> Slot? {
        state.withLock { state in
            let open = state.streams.values.count { $0.reader.secret == reader.secret }
            guard open < Self.streamsPerSessionMax else { return nil }
            state.number += 1
            let number = state.number
            let signal = StreamSignal()
            state.streams[number] = Stream(
                signal: signal, delivery: delivery, reader: reader, followUpAt: 0,
                heartbeatAt: state.second + Self.heartbeatSeconds)
            return Slot(signal) { [weak self] in self?.state.withLock { _ = $0.streams.removeValue(forKey: number) } }
        }
    }

    /// How many are open.
    var count: Int { state.withLock(\.streams.count) }

    /// Who has open streams; a session is there twice where its reader has changed since the first was opened.
    var readers: Set<SignedIn> { state.withLock { Set($0.streams.values.map(\.reader)) } }

    /// Wakes the streams of some deliveries, and those of everything.
    func notify(_ deliveries: Set<DeliveryID>) {
        let signals = state.withLock { state in
            state.streams.compactMap { number, stream -> StreamSignal? in
                if let delivery = stream.delivery {
                    guard deliveries.contains(delivery) else { return nil }
                    state.streams[number]?.followUpAt = state.second + Self.followUpSeconds
                }
                return stream.signal
            }
        }
        for signal in signals { signal.notify() }
    }

    func notifyAll() {
        for signal in state.withLock({ $0.streams.values.map(\.signal) }) { signal.notify() }
    }

    /// Ends the streams of a session.
    ///
    /// - Parameter session: the hash of its secret.
    func end(session: [UInt8]) {
        let signals = state.withLock { state in
            state.streams.values.filter { $0.reader.secret.hash == session }.map(\.signal)
        }
        for signal in signals { signal.end() }
    }

    /// Sends heartbeats and follow-ups, until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                self.beat()
            }
        }
    }

    /// One second has passed.
    func beat() {
        let (beating, changing) = state.withLock { state in
            state.second += 1
            var (beating, changing) = ([StreamSignal](), [StreamSignal]())
            for (number, stream) in state.streams {
                if stream.followUpAt > 0, stream.followUpAt <= state.second {
                    state.streams[number]?.followUpAt = 0
                    changing.append(stream.signal)
                }
                if stream.heartbeatAt <= state.second {
                    state.streams[number]?.heartbeatAt = state.second + Self.heartbeatSeconds
                    beating.append(stream.signal)
                }
            }
            return (beating, changing)
        }
        for signal in changing { signal.notify() }
        for signal in beating { signal.heartbeat() }
    }
}
