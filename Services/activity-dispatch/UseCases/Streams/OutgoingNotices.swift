import Synchronization

/// Devices with new events whose streams are not open here, for the notice to the other replicas.
final class OutgoingNotices: Sendable {
    /// One signal for all notices since the previous one; for one reader.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let devices = Mutex<[DeviceID: Int?]>([:])

    init() {
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// - Parameter lastEventID: nil where the streams are woken in any case.
    func add(_ device: DeviceID, lastEventID: Int?) {
        devices.withLock { devices in
            // A notice for streams that are woken in any case stays one.
            if case .some(nil) = devices[device] { return }
            devices[device] = .some(lastEventID)
        }
        signal.yield()
    }

    func drain() -> [DeviceID: Int?] {
        devices.withLock { devices in
            defer { devices = [:] }
            return devices
        }
    }
}
