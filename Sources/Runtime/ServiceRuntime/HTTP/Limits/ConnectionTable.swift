/// The port's connections, bounded in total and per address.
///
/// Pure: it receives events and returns the connections to close. An idle connection yields to a new one, the longest
/// idle first, so that idle sockets block no caller; the port refuses a new connection only where all are busy.
struct ConnectionTable<ID: Hashable & Sendable>: Sendable {
    /// The outcome of a new connection.
    enum Admission: Hashable {
        case accepted
        /// Accepted; this idle one must be closed for it.
        case replacing(ID)
        case refused
    }

    private struct Entry {
        /// The address; nil for a connection that counts under no address.
        let address: String?
        /// Rises with each beginning of an idle time; nil while a request is under way.
        var idleSince: Int?
    }

    let connectionsMax: Int
    let addressConnectionsMax: Int
    private var entries: [ID: Entry] = [:]
    private var countByAddress: [String: Int] = [:]
    private var idleTurn = 0

    init(connectionsMax: Int, addressConnectionsMax: Int) {
        self.connectionsMax = connectionsMax
        self.addressConnectionsMax = addressConnectionsMax
    }

    var count: Int { entries.count }

    /// - Parameter address: nil where the limit of an address does not hold, such as for a proxy.
    mutating func open(_ id: ID, from address: String?) -> Admission {
        let isAddressFull = address.map { countByAddress[$0, default: 0] >= addressConnectionsMax } ?? false
        guard isAddressFull || entries.count >= connectionsMax else {
            insert(id, address)
            return .accepted
        }
        let idle = entries.filter { $0.value.idleSince != nil && (!isAddressFull || $0.value.address == address) }
        guard let longest = idle.min(by: { $0.value.idleSince ?? .max < $1.value.idleSince ?? .max })?.key else {
            return .refused
        }
        close(longest)
        insert(id, address)
        return .replacing(longest)
    }

    mutating func begin(_ id: ID) { entries[id]?.idleSince = nil }

    mutating func end(_ id: ID) {
        idleTurn += 1
        entries[id]?.idleSince = idleTurn
    }

    /// Closing twice changes nothing.
    mutating func close(_ id: ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        guard let address = entry.address else { return }
        let left = countByAddress[address, default: 1] - 1
        countByAddress[address] = left > 0 ? left : nil
    }

    private mutating func insert(_ id: ID, _ address: String?) {
        idleTurn += 1
        entries[id] = Entry(address: address, idleSince: idleTurn)
        if let address { countByAddress[address, default: 0] += 1 }
    }
}
