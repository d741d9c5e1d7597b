import Foundation
import Logging
import Messages
import NatsClient
import ServiceLifecycle
import Synchronization
import WireCoding

/// Tells the other replicas which devices have new events, and is told by them: a device's stream may be open at any.
///
/// Notices are sent once and stored nowhere: ``StreamHub`` compares its streams with the table from time to time, and a
/// reader that reconnects resumes after its last event.
final class StreamNotices: Service {
    /// Devices in one message, some 60 bytes each.
    static let devicesPerMessageMax = 500

    private let nats: NatsClient
    private let hub: StreamHub
    private let logger: Logger

    init(nats: NatsClient, hub: StreamHub, logger: Logger) {
        self.nats = nats
        self.hub = hub
        self.logger = logger
    }

    /// Sends and receives until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.send() }
                group.addTask { await self.receive() }
            }
        }
    }

    private func send() async {
        for await _ in hub.openElsewhere.signals {
            let devices = hub.openElsewhere.take().sorted { $0.key.rawValue < $1.key.rawValue }
            for start in stride(from: 0, to: devices.count, by: Self.devicesPerMessageMax) {
                let page = devices[start..<min(start + Self.devicesPerMessageMax, devices.count)]
                let message = StreamsChanged(
                    devices: page.map { .init(device: $0.key.rawValue, lastEventID: $0.value) })
                // Without a broker the comparison finds them.
                guard let bytes = try? WireJSON.encode(message) else { continue }
                try? await nats.publish([UInt8](bytes), to: Subject.streamsChanged)
            }
        }
    }

    private func receive() async {
        await nats.forEachMessage(
            of: Subject.streamsChanged,
            // What was sent before.
            subscribed: { try? await self.hub.compare() }, handle: { self.take($0) })
    }

    private func take(_ message: NatsMessage) {
        guard let changed = try? WireJSON.decode(StreamsChanged.self, from: Data(message.payload)) else {
            logger.warning("A notice of another replica cannot be read; streams may be seconds late")
            return
        }
        for change in changed.devices {
            guard let device = DeviceID(rawValue: change.device) else { continue }
            hub.noticed(device, lastEventID: change.lastEventID)
        }
    }

    /// What is to be told to the others.
    final class Outgoing: Sendable {
        /// One for whatever was added since the one before; for one reader.
        let signals: AsyncStream<Void>
        private let signal: AsyncStream<Void>.Continuation
        private let devices = Mutex<[DeviceID: Int?]>([:])

        init() {
            (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        }

        /// - Parameter lastEventID: nil where the streams are to look in any case.
        func add(_ device: DeviceID, lastEventID: Int?) {
            devices.withLock { devices in
                // What was to look in any case still is.
                if case .some(nil) = devices[device] { return }
                devices[device] = .some(lastEventID)
            }
            signal.yield()
        }

        func take() -> [DeviceID: Int?] {
            devices.withLock { devices in
                defer { devices = [:] }
                return devices
            }
        }
    }
}
