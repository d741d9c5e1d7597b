import DeclaredMetrics
import Foundation
import Logging
import OrderDomain
import PostgresClient
import ServiceRuntime
import Synchronization

/// The reader of a device's stream, with its position.
struct DeviceReader: StreamReader {
    let connection: ConnectedStream
    let customer: CustomerID
    /// The store that the reader's token is restricted to.
    let store: StoreID?
    let mailbox = StreamMailbox()
    var lastEventID: Int

    /// Streams of one store's tokens leave the customer's streams of another store their number.
    struct Owner: Hashable, Sendable {
        let customer: CustomerID
        let store: StoreID?
    }

    var owner: Owner { Owner(customer: customer, store: store) }
}

/// An open device stream: its wake-up, and its committed events.
struct DeviceSlot: Sendable {
    let place: StreamSlot
    let mailbox: StreamMailbox

    var signal: StreamSignal { place.signal }
}

/// The open device streams of this process, with their wake-ups.
///
/// This process's own commits wake them at once; another replica's commits, when its notice arrives
/// (``StreamNotices``). A notice may be lost, so the hub periodically compares all streams with the table.
final class StreamHub: Sendable {
    /// Open streams of one customer, by tokens of one store or of none, in one process, each of another device; one
    /// more is refused with 429.
    static let streamsPerCustomerMax = 5

    /// The streams opened and closed since the last call, oldest first.
    struct ConnectionChanges {
        var opened: [ConnectedStream] = []
        var closed: [ConnectedStream] = []
    }

    /// Their places, heartbeats and ends.
    let streams: OpenStreams<DeviceID, DeviceReader>
    /// Devices with new events and no stream here, which may be open at other replicas.
    let openElsewhere = OutgoingNotices()
    private let pool: PostgresPool
    private let changes: LockedChanges

    private final class LockedChanges: Sendable {
        let value = Mutex(ConnectionChanges())
    }

    init(
        pool: PostgresPool, logger: Logger, elapsed: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.pool = pool
        let changes = LockedChanges()
        self.changes = changes
        streams = OpenStreams(
            "device streams", gauge: DispatchMetrics.streamsOpen.meter(), logger: logger, elapsed: elapsed
        ) { change, _ in
            changes.value.withLock { changes in
                switch change {
                case .opened(let stream): changes.opened.append(stream.reader.connection)
                case .closed(let stream): changes.closed.append(stream.reader.connection)
                }
            }
        }
    }

    /// Opens a stream and closes the device's earlier ones: a phone that lost its connection opens another long before
    /// the dead one is detected.
    ///
    /// - Parameters:
    ///   - store: the only store whose cards its reader may see; nil for every store.
    ///   - lifetime: the time until its reader's token expires; nil for no end.
    /// - Returns: nil when the customer's other devices have reached the limit of streams.
    func open(
        _ device: DeviceID, of customer: CustomerID, within store: StoreID? = nil, lastEventID: Int,
        lifetime: Duration? = nil
    ) -> DeviceSlot? {
        let reader = DeviceReader(
            connection: ConnectedStream(id: UUID(), device: device), customer: customer, store: store,
            lastEventID: lastEventID)
        let place = streams.open(device, for: reader, lifetime: lifetime) { open in
            let former = open.streams(of: device).filter { $0.reader.customer == customer }
            let counted = former.count { $0.reader.owner == reader.owner }
            guard open.count(of: reader.owner) - counted < Self.streamsPerCustomerMax else { return .refused }
            return .admitted(inPlaceOf: former.map(\.number))
        }
        return place.map { DeviceSlot(place: $0, mailbox: reader.mailbox) }
    }

    /// The streams that are open in this process, as they are written down.
    var connectedStreams: [ConnectedStream] { streams.all.map(\.reader.connection) }

    /// Empties the changes, and returns them with one stream of a device at most among the opened.
    func drainConnectionChanges() -> ConnectionChanges {
        var drained = changes.value.withLock { changes in
            defer { changes = ConnectionChanges() }
            return changes
        }
        let newest = Dictionary(drained.opened.map { ($0.device, $0) }, uniquingKeysWith: { $1 })
        drained.opened = Array(newest.values)
        return drained
    }

    /// Keeps changes that could not be written for the next call.
    func putBack(_ unwritten: ConnectionChanges) {
        changes.value.withLock { changes in
            changes.opened = unwritten.opened + changes.opened
            changes.closed = unwritten.closed + changes.closed
        }
    }

    /// Wakes a device's streams for new events, or for their end where the device is no longer their customer's; here,
    /// and at the replica where they are open.
    ///
    /// - Parameter lastEventID: the newest id of its stream, so that the comparison does not wake them again for the
    ///   same event.
    func wake(_ device: DeviceID, lastEventID: Int? = nil) {
        let isOpen = streams.update(device) { reader in
            if let lastEventID { reader.lastEventID = lastEventID }
            return true
        }
        // A device has one stream, at one replica. Where the one here is dead without being known to be, the other
        // replica's comparison wakes the present one.
        if !isOpen { openElsewhere.add(device, lastEventID: lastEventID) }
    }

    /// Wakes a device's streams with committed events; a stream with further events reads the table.
    func deliver(_ batch: StreamMailbox.Batch, to device: Device) {
        let isOpen = streams.update(device.id) { reader in
            if reader.customer == device.customer, reader.store == nil || reader.store == device.store {
                reader.mailbox.put(batch)
            }
            reader.lastEventID = batch.lastEventID
            return true
        }
        if !isOpen { openElsewhere.add(device.id, lastEventID: batch.lastEventID) }
    }

    /// Wakes a device's streams after another replica's notice, unless they have read so far already.
    func noticed(_ device: DeviceID, lastEventID: Int?) {
        streams.update(device) { reader in
            guard let lastEventID else { return true }
            guard reader.lastEventID < lastEventID else { return false }
            reader.lastEventID = lastEventID
            return true
        }
    }

    /// Wakes the streams whose device has newer events in the table, or another customer.
    func compare() async throws {
        let known = streams.all.map { stream in
            DeviceEventRepository.KnownStream(
                number: stream.number, device: stream.topic, customer: stream.reader.customer,
                lastEventID: stream.reader.lastEventID)
        }
        guard !known.isEmpty else { return }
        for (number, lastEventID) in try await DeviceEventRepository.changed(of: known, on: pool) {
            streams.update(number) { reader in
                reader.lastEventID = lastEventID
                return true
            }
        }
    }
}
