internal import BackgroundWork
package import DomainTime
internal import DoorstepAPI
internal import Foundation
package import Logging
package import PostgresClient
internal import ServiceLifecycle
internal import Synchronization

/// Records reads of personal data, and counts repeated ones.
///
/// The first read of an object by a reader in an hour of domain time is in the database before it is answered. Further
/// reads of it in this hour are counted in memory, and written each minute: a process that is killed loses at most that
/// minute's count. A list is one object per operation, whose row grows by the ids that come with each hour's answers.
package final class PersonalReadRecorder: Service {
    /// Ids of a row, after which the next ids begin another.
    static let rowIDsMax = 1_000
    /// Rows in memory; without room for another, the next read of each object begins a new row.
    static let rowsMax = 20_000
    /// Wall time between two writes of counts.
    static let flushInterval = Duration.seconds(60)
    static let deletionInterval = Duration.seconds(3_600)
    private static let hourSeconds = 3_600.0

    package let log: PersonalReadLog
    private let clock: DomainClock
    private let keptDays: Int
    private let logger: Logger
    private let state = Mutex<[Key: Row]>([:])
    private let commit: GroupCommit<PersonalReadEntry, UUID, Void>

    /// - Parameter keptDays: wall days that a read is kept.
    package init(
        pool: PostgresPool, clock: DomainClock, keptDays: Int = PersonalReadLog.readsDays, logger: Logger
    ) {
        let log = PersonalReadLog(pool: pool)
        self.log = log
        self.clock = clock
        self.keptDays = keptDays
        self.logger = logger
        commit = GroupCommit(.init(transactionsMax: 2, requestsMax: 500), key: { $0.id }) { entries in
            try await log.add(entries)
            return entries.map { _ in }
        }
    }

    // MARK: Recording

    /// Records a read; returns once it is durable, or at once where it repeats one of this hour.
    ///
    /// - Throws: ``PostgresError`` where a read that is none of this hour's could not be recorded.
    package func record(_ read: PersonalRead) async throws {
        let entry = state.withLock { rows -> (Key, PersonalReadEntry)? in
            let key = count(read, in: &rows)
            guard var row = rows[key], row.isUnwritten else { return nil }
            defer { rows[key] = row }
            return (key, row.beginWrite(of: key))
        }
        guard let (key, entry) = entry else { return }
        do {
            try await commit(entry)
            state.withLock { $0[key]?.wrote(entry) }
        } catch {
            // Ids stay in no memory until the database is back: a person may be erased by then.
            state.withLock { $0[key]?.forget(entry) }
            throw error
        }
    }

    /// Counts a read of a stream that is recorded already; its ids are written with the counts.
    package func note(_ read: PersonalRead) {
        state.withLock { rows in _ = count(read, in: &rows) }
    }

    /// Writes counts and ids that are in memory only.
    ///
    /// - Throws: ``PostgresError``; the counts stay in memory.
    package func flush() async throws {
        let entries = state.withLock { rows in
            rows.filter { $0.value.isPending }.map { key, row in
                var row = row
                let entry = row.beginWrite(of: key)
                rows[key] = row
                return (key, entry)
            }
        }
        let outcomes = await commit.outcomes(of: entries.map(\.1))
        var failure: (any Error)?
        let hour = hour(of: clock.now)
        state.withLock { rows in
            for ((key, entry), outcome) in zip(entries, outcomes) {
                switch outcome {
                case .success: rows[key]?.wrote(entry)
                case .failure(let error):
                    rows[key]?.failed(entry)
                    failure = error
                }
            }
            rows = rows.filter { $0.key.hour >= hour || $0.value.isPending }
        }
        if let failure { throw failure }
    }

    /// Adds the read to its row of this hour.
    private func count(_ read: PersonalRead, in rows: inout [Key: Row]) -> Key {
        let now = clock.now
        var key = Key(read, hour: hour(of: now))
        if rows[key] == nil, rows.count >= Self.rowsMax {
            rows = rows.filter { $0.value.isPending }
            if rows.count >= Self.rowsMax { rows = [:] }
        }
        while let row = rows[key], row.isFull(with: read.persons) { key.part += 1 }
        rows[key, default: Row(at: now)].count(read.persons, at: now)
        return key
    }

    private func hour(of date: Date) -> Int { Int((date.timeIntervalSince1970 / Self.hourSeconds).rounded(.down)) }

    // MARK: Upkeep

    /// Writes counts and deletes expired reads until graceful shutdown; never fails because of an outage.
    ///
    /// - Throws: never; a failed run is logged and repeated.
    package func run() async throws {
        async let deletion: Void = PeriodicTask("reads retention", every: Self.deletionInterval, logger: logger) {
            try await self.log.deleteExpired(days: self.keptDays)
        }.run()
        try await PeriodicTask("reads of personal data", every: Self.flushInterval, logger: logger) {
            try await self.flush()
        }.run()
        try await deletion
        do {
            try await withCancellationShield { try await self.flush() }
        } catch {
            logger.warning("The last minute's repeated reads are not counted", metadata: ["reason": "\(error)"])
        }
    }
}

extension PersonalReadRecorder {
    /// Identifies the reads that a row of the log has.
    struct Key: Hashable {
        let role: Role
        let reader: String
        let store: String?
        let operation: PersonalReads.Operation
        /// The ids of the object; none for a list.
        let object: Persons?
        let hour: Int
        /// Rises when a row is full.
        var part = 0

        init(_ read: PersonalRead, hour: Int) {
            (role, reader, store, operation) = (read.role, read.reader, read.store, read.operation)
            object = read.operation.isList ? nil : read.persons
            self.hour = hour
        }
    }

    /// A row of the log, and the reads that it does not have yet.
    struct Row {
        private let id = UUID()
        private let readAt: Date
        private var lastReadAt: Date
        /// The ids of the row in the database.
        private var written = Persons([])
        /// The ids and the objects of the reads that are to be written.
        private var pending = Persons([])
        private var pendingReads = 0
        private var isStored = false

        init(at now: Date) { (readAt, lastReadAt) = (now, now) }

        /// Whether reads are to be written.
        var isPending: Bool { pendingReads > 0 }
        /// Whether an answer must wait: the row, or an id of it, is not in the database.
        var isUnwritten: Bool { !isStored || pending.count > 0 }

        /// Whether further ids belong into another row.
        func isFull(with persons: Persons) -> Bool {
            let count = written.count + pending.count
            guard count > 0 else { return false }
            let further = persons.subtracting(written).subtracting(pending).count
            return further > 0 && count + further > PersonalReadRecorder.rowIDsMax
        }

        mutating func count(_ persons: Persons, at now: Date) {
            pending.add(persons.subtracting(written))
            pendingReads += 1
            lastReadAt = max(lastReadAt, now)
        }

        /// The pending reads, which are in no other write from now on; their ids are, until they are written.
        mutating func beginWrite(of key: Key) -> PersonalReadEntry {
            defer { (pendingReads, pending.objects) = (0, 0) }
            return PersonalReadEntry(
                id: id, readAt: readAt.timeIntervalSince1970, lastReadAt: lastReadAt.timeIntervalSince1970,
                role: key.role.rawValue, reader: key.reader.withoutNUL, store: key.store?.withoutNUL,
                operation: key.operation.name, kind: key.operation.kind, customers: pending.customers.sorted(),
                deliveries: pending.deliveries.sorted(), couriers: pending.couriers.sorted(), reads: pendingReads,
                objects: pending.objects, traceID: TraceContext.current?.traceID)
        }

        mutating func wrote(_ entry: PersonalReadEntry) {
            isStored = true
            let ids = entry.persons
            written.add(ids)
            pending = pending.subtracting(ids)
        }

        /// Forgets the reads of a failed write, which was not made or whose outcome is unknown.
        mutating func forget(_ entry: PersonalReadEntry) { pending = pending.subtracting(entry.persons) }

        /// Counts the reads of a failed write again; whether it was made is unknown, and too many are better than none.
        mutating func failed(_ entry: PersonalReadEntry) {
            pendingReads += entry.reads
            pending.objects += entry.objects
        }
    }
}

extension PersonalReadEntry {
    fileprivate var persons: Persons {
        var ids = Persons([])
        (ids.customers, ids.deliveries, ids.couriers) = (Set(customers), Set(deliveries), Set(couriers))
        return ids
    }
}

extension String {
    /// Text that Postgres accepts.
    fileprivate var withoutNUL: String { replacing("\0", with: "\u{FFFD}") }
}
