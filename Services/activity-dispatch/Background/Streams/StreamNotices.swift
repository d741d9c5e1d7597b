import BackgroundWork
import Foundation
import Logging
import Messages
import NatsClient
import ServiceLifecycle
import WireCoding

/// Notifies the other replicas of devices with new events, and wakes streams by their notices: a device's stream may be
/// open at any.
///
/// Notices are sent once and stored nowhere: all open streams are compared with the table from time to time, and a
/// reader that reconnects resumes after its last event.
struct StreamNotices: Service {
    /// Devices in one message, some 60 bytes each.
    static let devicesPerMessageMax = 500

    let nats: NatsClient
    let hub: StreamHub
    /// The interval of polls for events without a notice.
    var comparison = Duration.seconds(30)
    let logger: Logger

    /// Sends, receives and compares until graceful shutdown.
    func run() async throws {
        let comparisons = PeriodicTask("comparison of device streams", every: comparison, logger: logger) {
            try await hub.compare()
        }
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await send() }
                group.addTask { await receive() }
                group.addTask { try await comparisons.run() }
                try await group.waitForAll()
            }
        }
    }

    private func send() async {
        for await _ in hub.openElsewhere.signals {
            let devices = hub.openElsewhere.drain().sorted { $0.key.rawValue < $1.key.rawValue }
            for start in stride(from: 0, to: devices.count, by: Self.devicesPerMessageMax) {
                let page = devices[start..<min(start + Self.devicesPerMessageMax, devices.count)]
                let message = StreamsChanged(
                    devices: page.map { .init(device: $0.key.rawValue, lastEventID: $0.value) })
                // The comparison of the other replicas finds events whose notice was not sent.
                guard let bytes = try? WireJSON.encode(message) else { continue }
                try? await nats.publish([UInt8](bytes), to: Subject.streamsChanged)
            }
        }
    }

    private func receive() async {
        await nats.forEachMessage(
            of: Subject.streamsChanged,
            // Compares the streams with earlier notices; the periodic comparison logs a failure.
            subscribed: { try? await hub.compare() }, handle: { wakeStreams(by: $0) })
    }

    private func wakeStreams(by message: NatsMessage) {
        // The warning below reports the notice; the comparison finds its devices without it.
        guard let changed = try? WireJSON.decode(StreamsChanged.self, from: Data(message.payload)) else {
            logger.warning("A notice of another replica is unreadable; streams may be seconds late")
            return
        }
        for change in changed.devices {
            guard let device = DeviceID(rawValue: change.device) else { continue }
            hub.noticed(device, lastEventID: change.lastEventID)
        }
    }
}
