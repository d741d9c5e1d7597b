internal import BackgroundWork
internal import DeclaredMetrics
package import DomainTime
internal import DoorstepAPI
internal import Foundation
package import Logging
internal import Metrics
package import PostgresClient
internal import ServiceLifecycle
internal import Synchronization

/// Records reads of personal data, and counts repeated ones.
///
/// The first read of an object by a reader in an hour of domain time is in the database before it is answered. Further
/// reads of it in this hour are counted in memory, and written each minute: a process that is killed loses at most that
/// minute's count. A list is one object per operation, whose rows grow by the ids that come with each hour's answers.
package final class PersonalReadRecorder: Service {
    /// Ids and objects in memory, a row's own memory being that of ten ids: some 30 MB.
    static let memoryMax = 200_000
    /// Wall time between two writes of counts.
    static let flushInterval = Duration.seconds(60)
    static let deletionInterval = Duration.seconds(3_600)
    /// Rows that one flush hands to the database together.
    private static let flushedMax = 500
    /// Ids of one transaction.
    private static let writtenIDsMax = 10_000
    private static let hourSeconds = 3_600.0

    package let log: PersonalReadLog
    private let clock: DomainClock
    private let keptDays: Int
    private let memoryMax: Int
    private let logger: Logger
    private let state = Mutex(State())
    private let commit: GroupCommit<PersonalReadEntry, UUID, Void>
    /// Exported from the start, so that the first increase is one.
    let unrecorded = PersonalReadMetrics.unrecorded.counter()

    private struct State {
        var hours: [Key: Hour] = [:]
        /// The part of ``PersonalReadRecorder/memoryMax`` that they need.
        var memory = 0
    }

    /// - Parameters:
    ///   - keptDays: wall days that a read is kept.
    ///   - memoryMax: the ids in memory, after which those that are written are forgotten.
    package init(
        pool: PostgresPool, clock: DomainClock, keptDays: Int = PersonalReadLog.readsDays,
        memoryMax: Int = PersonalReadRecorder.memoryMax, logger: Logger
    ) {
        let log = PersonalReadLog(pool: pool)
        self.log = log
        self.clock = clock
        self.keptDays = keptDays
        self.memoryMax = memoryMax
        self.logger = logger
        var bounds = GroupCommit<PersonalReadEntry, UUID, Void>.Configuration(transactionsMax: 2, requestsMax: 500)
        bounds.weightMax = Self.writtenIDsMax
        // Entries are alike, so where one cannot be written none can, and readers wait for no second try.
        commit = GroupCommit(
            bounds, key: { $0.id }, weight: { $0.idsCount }, failsTogether: { _ in true }
        ) { entries in
            try await log.add(entries.ofEachRow)
            return entries.map { _ in }
        }
    }

    // MARK: Recording

    /// Records a read; returns once it is durable, or at once where it repeats one of this hour.
    ///
    /// - Throws: ``PostgresError`` where a read that is none of this hour's could not be recorded.
    package func record(_ read: PersonalRead) async throws {
        try await makeRoom()
        guard let (key, entries) = state.withLock({ beginWrite(of: read, in: &$0) }) else { return }
        // Ids stay in no memory until the database is back: a person may be erased by then.
        try await write(entries.map { (key, $0) }, keepsFailed: false)
    }

    /// Records a read, and leaves it to the next flush where the database has not written it by the deadline.
    ///
    /// - Returns: whether it is durable.
    package func record(_ read: PersonalRead, within deadline: Duration) async -> Bool {
        guard hasRoom else { return false }
        guard let (key, entries) = state.withLock({ beginWrite(of: read, in: &$0) }) else { return true }
        let (outcomes, outcome) = AsyncStream<Bool>.makeStream()
        // What is late goes on without its reader, until the statement's time-out.
        Task {
            do {
                try await write(entries.map { (key, $0) }, keepsFailed: true)
                outcome.yield(true)
            } catch {
                outcome.yield(false)
            }
        }
        // Ends at the deadline, or with the answer.
        let timer = Task {
            try await Task.sleep(for: deadline)
            outcome.yield(false)
        }
        defer { timer.cancel() }
        for await isDurable in outcomes { return isDurable }
        return false
    }

    /// Counts a read of a stream that is recorded already; its ids are written with the counts.
    package func note(_ read: PersonalRead) {
        guard hasRoom else {
            unrecorded.increment()
            logger.warning(
                "A read of personal data is dropped: the access log cannot be written, and the memory for it is full",
                metadata: ["operation": "\(read.operation.name)"])
            return
        }
        state.withLock { state in
            _ = change(key(of: read), in: &state) { $0.count(read.persons, at: clock.now) }
        }
    }

    /// Writes counts and ids that are in memory only.
    ///
    /// - Throws: ``PostgresError``; the counts stay in memory.
    package func flush() async throws {
        var rest = state.withLock { state in state.hours.keys.filter { state.hours[$0]?.isPending == true } }[...]
        var failure: PostgresError?
        while !rest.isEmpty {
            let keys = rest.prefix(Self.flushedMax)
            rest = rest.dropFirst(Self.flushedMax)
            let entries = state.withLock { state in
                keys.flatMap { key in state.hours[key]?.beginFlush(of: key).map { (key, $0) } ?? [] }
            }
            do {
                try await write(entries, keepsFailed: true)
            } catch let error as PostgresError where !error.isOutage {
                failure = error
            }
        }
        let hour = hour(of: clock.now)
        forgetWritten { $0.hour < hour }
        if let failure { throw failure }
    }

    /// - Parameter keepsFailed: whether the reads of a failed entry are left to the next flush, or forgotten.
    private func write(_ entries: [(key: Key, entry: PersonalReadEntry)], keepsFailed: Bool) async throws {
        let outcomes = await commit.outcomes(of: entries.map(\.entry))
        var failure: (any Error)?
        state.withLock { state in
            for ((key, entry), outcome) in zip(entries, outcomes) {
                // An hour that is over and forgotten had no row left: the read is unrecorded all the same.
                if case .failure(let error) = outcome { failure = error }
                guard state.hours[key] != nil else { continue }
                change(key, in: &state) { hour in
                    switch outcome {
                    case .success: hour.wrote(entry)
                    case .failure: keepsFailed ? hour.failed(entry) : hour.forget(entry)
                    }
                }
            }
        }
        if let failure { throw failure }
    }

    /// Counts a read.
    ///
    /// - Returns: the entries that must be written before it is answered; nil for a read that repeats one in the database.
    private func beginWrite(of read: PersonalRead, in state: inout State) -> (Key, [PersonalReadEntry])? {
        let key = key(of: read)
        return change(key, in: &state) { hour in
            hour.count(read.persons, at: clock.now) ? (key, hour.beginWrite(of: key)) : nil
        }
    }

    private func key(of read: PersonalRead) -> Key { Key(read, hour: hour(of: clock.now)) }

    /// Changes the reads of a key where they are, without a copy of their ids, and counts their memory.
    private func change<Value>(_ key: Key, in state: inout State, _ body: (inout Hour) -> Value) -> Value {
        var hour = state.hours.removeValue(forKey: key) ?? Hour()
        state.memory -= hour.memory
        let value = body(&hour)
        state.memory += hour.memory
        state.hours[key] = hour
        return value
    }

    private func hour(of date: Date) -> Int { Int((date.timeIntervalSince1970 / Self.hourSeconds).rounded(.down)) }

    // MARK: Memory

    private var hasRoom: Bool {
        if state.withLock({ $0.memory < memoryMax }) { return true }
        forgetWritten { _ in true }
        return state.withLock { $0.memory < memoryMax }
    }

    /// Writes what is pending where the memory is full; the next read of an object begins a new row then.
    private func makeRoom() async throws {
        guard !hasRoom else { return }
        try await flush()
        forgetWritten { _ in true }
    }

    /// Forgets what the database has, as far as it is of such keys.
    private func forgetWritten(where isForgotten: (Key) -> Bool) {
        state.withLock { state in
            for (key, hour) in state.hours where !hour.isPending && isForgotten(key) {
                state.hours[key] = nil
                state.memory -= hour.memory
            }
        }
    }

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
