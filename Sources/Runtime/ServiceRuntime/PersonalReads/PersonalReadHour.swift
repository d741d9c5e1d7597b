internal import DoorstepAPI
internal import Foundation

extension PersonalReadRecorder {
    /// Identifies the reads that are counted together.
    struct Key: Hashable {
        let role: Role
        let reader: String
        let subject: String
        let store: String?
        let operation: PersonalReads.Operation
        /// The ids of the object; none for a list.
        let object: Persons?
        let hour: Int

        init(_ read: PersonalRead, hour: Int) {
            (role, reader, subject, store) = (read.role, read.reader, read.subject, read.store)
            operation = read.operation
            object = read.operation.isList ? nil : read.persons
            self.hour = hour
        }
    }

    /// The reads of an object, or of a list, by one reader within an hour, and the rows that have them.
    ///
    /// Ids that no row has yet are added to the newest one, and to further rows where that is full: each id is in one
    /// row, however many answers have it.
    struct Hour {
        /// Ids of a row.
        static let rowIDsMax = 1_000
        /// The memory of a row, in ids.
        private static let rowMemory = 10

        private struct Row {
            let id = UUID()
            let readAt: Date
            var writtenIDs = 0
            /// The ids that it does not have yet, and the objects of its pending reads.
            var pending = Persons([])
            var pendingReads = 0
            var isStored = false
            /// The last read that the database has, in seconds since 1970.
            var writtenAt: Double?

            var idsCount: Int { writtenIDs + pending.count }
            /// Whether the database has neither the row nor all of its ids.
            var isUnwritten: Bool { !isStored || pending.count > 0 }
        }

        private var rows: [Row] = []
        private var lastReadAt = Date.distantPast
        /// The ids of all rows in the database.
        private var written = Persons([])

        /// Its memory, in ids.
        var memory: Int { rows.reduce(written.count) { $0 + Self.rowMemory + $1.pending.count } }

        /// Whether reads are to be written.
        var isPending: Bool { rows.contains(where: isPending) }

        /// An older row's ids are in later answers too, which the newest row counts.
        private func isPending(_ row: Row) -> Bool {
            row.pendingReads > 0 || row.isUnwritten || row.writtenAt != lastReadAt.timeIntervalSince1970
        }

        /// Counts a read.
        ///
        /// - Returns: whether its answer must wait, since the database does not have all of its ids.
        mutating func count(_ persons: Persons, at now: Date) -> Bool {
            lastReadAt = max(lastReadAt, now)
            let unwritten = persons.subtracting(written)
            var further = rows.reduce(unwritten) { $0.subtracting($1.pending) }
            if rows.isEmpty { rows.append(Row(readAt: now)) }
            // A read counts once in each row that it gives ids, or else in the newest.
            if further.count == 0 { rows[rows.count - 1].pendingReads += 1 }
            while further.count > 0 {
                if rows[rows.count - 1].idsCount >= Self.rowIDsMax { rows.append(Row(readAt: now)) }
                let newest = rows.count - 1
                rows[newest].pending.add(further.removeFirst(Self.rowIDsMax - rows[newest].idsCount))
                rows[newest].pendingReads += 1
            }
            rows[rows.count - 1].pending.objects += persons.objects
            return unwritten.count > 0 || !rows[rows.count - 1].isStored
        }

        /// The entries of ids and rows that the database does not have, with their pending reads.
        ///
        /// The reads are in no other entry from now on; the ids are, until they are written.
        mutating func beginWrite(of key: Key) -> [PersonalReadEntry] {
            rows.indices.filter { rows[$0].isUnwritten }.map { entry(ofRow: $0, of: key) }
        }

        /// The entries of everything that is pending.
        mutating func beginFlush(of key: Key) -> [PersonalReadEntry] {
            rows.indices.filter { isPending(rows[$0]) }.map { entry(ofRow: $0, of: key) }
        }

        private mutating func entry(ofRow index: Int, of key: Key) -> PersonalReadEntry {
            let row = rows[index]
            (rows[index].pendingReads, rows[index].pending.objects) = (0, 0)
            return PersonalReadEntry(
                id: row.id, readAt: row.readAt.timeIntervalSince1970, lastReadAt: lastReadAt.timeIntervalSince1970,
                role: key.role.rawValue, reader: key.reader.withoutNUL, subject: key.subject.withoutNUL,
                store: key.store?.withoutNUL, operation: key.operation.name, kind: key.operation.kind,
                customers: row.pending.customers.sorted(), deliveries: row.pending.deliveries.sorted(),
                couriers: row.pending.couriers.sorted(), reads: row.pendingReads, objects: row.pending.objects,
                traceID: TraceContext.current?.traceID)
        }

        mutating func wrote(_ entry: PersonalReadEntry) {
            guard let index = rows.firstIndex(where: { $0.id == entry.id }) else { return }
            let ids = entry.persons.subtracting(written)
            written.add(ids)
            rows[index].writtenIDs += ids.count
            rows[index].pending = rows[index].pending.subtracting(ids)
            rows[index].isStored = true
            rows[index].writtenAt = max(rows[index].writtenAt ?? 0, entry.lastReadAt)
        }

        /// Forgets the reads of a failed write, which was not made or whose outcome is unknown.
        mutating func forget(_ entry: PersonalReadEntry) {
            guard let index = rows.firstIndex(where: { $0.id == entry.id }) else { return }
            rows[index].pending = rows[index].pending.subtracting(entry.persons)
            // A row that the database does not have, and that has no other read, is none.
            if !rows[index].isStored, rows[index].pendingReads == 0, rows[index].pending.count == 0 {
                rows.remove(at: index)
            }
        }

        /// Counts the reads of a failed write again; whether it was made is unknown, and too many are better than none.
        mutating func failed(_ entry: PersonalReadEntry) {
            guard let index = rows.firstIndex(where: { $0.id == entry.id }) else { return }
            rows[index].pendingReads += entry.reads
            rows[index].pending.objects += entry.objects
        }
    }
}

extension PersonalReadEntry {
    /// The number of its ids.
    var idsCount: Int { customers.count + deliveries.count + couriers.count }

    /// The ids that the row does not have yet.
    var persons: Persons {
        var ids = Persons([])
        (ids.customers, ids.deliveries, ids.couriers) = (Set(customers), Set(deliveries), Set(couriers))
        return ids
    }
}

extension [PersonalReadEntry] {
    /// The entries with those of the same row added up: one statement changes a row once.
    var ofEachRow: [PersonalReadEntry] {
        var rows: [PersonalReadEntry] = []
        var indices: [UUID: Int] = [:]
        for entry in self {
            if let index = indices[entry.id] {
                rows[index] = rows[index].adding(entry)
            } else {
                indices[entry.id] = rows.count
                rows.append(entry)
            }
        }
        return rows
    }
}

extension PersonalReadEntry {
    fileprivate func adding(_ other: PersonalReadEntry) -> PersonalReadEntry {
        var ids = persons
        ids.add(other.persons)
        return PersonalReadEntry(
            id: id, readAt: readAt, lastReadAt: max(lastReadAt, other.lastReadAt), role: role, reader: reader,
            subject: subject, store: store, operation: operation, kind: kind, customers: ids.customers.sorted(),
            deliveries: ids.deliveries.sorted(), couriers: ids.couriers.sorted(), reads: reads + other.reads,
            objects: objects + other.objects, traceID: traceID)
    }
}

extension String {
    /// Text that Postgres accepts.
    fileprivate var withoutNUL: String { replacing("\0", with: "\u{FFFD}") }
}
