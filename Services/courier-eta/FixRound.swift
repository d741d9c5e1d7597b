import ArrivalEstimate
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging

/// One transaction's worth of fixes: what is known of their couriers, what the fixes make of it, and what to write.
struct FixRound {
    /// One courier as this round has them.
    struct OnTheRoad {
        var remembered: CourierMemory.Remembered
        /// The way that was followed before.
        let former: CourierTrack
        var duty = Duty()
        var traceHeaders: [String: String] = [:]
        /// Deliveries that were looked at.
        var seen: [DeliveryID] = []
        /// Whether the row is written.
        var isChanged = false
        /// False where another process may have been first with this courier's row.
        var isCertain = true
    }

    private struct Taken {
        let heard: TakeFixes.Heard
        var kept: [Fix] = []
        var outcome = TakeFixes.Outcome()
    }

    let now: Date
    let watcher: Watcher
    let announcement: Announcement
    private(set) var couriers: [CourierID: OnTheRoad] = [:]
    private(set) var hasSpoken = false
    private var taken: [Taken] = []
    private var words: [SQL] = []

    init(at now: Date, watcher: Watcher, announcement: Announcement) {
        self.now = now
        self.watcher = watcher
        self.announcement = announcement
    }

    // MARK: What is known

    /// Locks the couriers, then their deliveries, and reads what is not remembered.
    mutating func load(
        _ ids: [CourierID], from memory: CourierMemory, withDuty: Bool, in transaction: PostgresTransaction
    ) async throws {
        let remembered = Dictionary(uniqueKeysWithValues: ids.compactMap { id in memory[id].map { (id, $0) } })
        let known = remembered.values.flatMap { $0.deliveries.map { ($0.key, $0.value.revision) } }
        var statements = [
            CourierETARepository.lockingCouriers(ids), CourierETARepository.lockingLive(of: ids, known: known),
        ]
        if withDuty {
            let since = now.addingTimeInterval(-FixNormaliser.ageSecondsMax - Duty.clockSeconds)
            statements.append(PhoneRepository.duties(of: ids, since: since))
        }
        let results = try await transaction.batch(statements)
        let revisions = try CourierETARepository.revisions(results[0].rows)
        let strangers = ids.filter { remembered[$0]?.revision != revisions[$0] ?? 0 || remembered[$0] == nil }
        let tracks = try await CourierETARepository.tracks(of: strangers, on: transaction)
        for id in ids {
            let known = strangers.contains(id) ? tracks[id] ?? CourierTracks() : remembered[id]?.tracks ?? .init()
            couriers[id] = OnTheRoad(
                remembered: .init(revision: revisions[id] ?? 0, tracks: known), former: known.followed)
        }
        for row in results[1].rows {
            let (courier, delivery) = try CourierETARepository.live(row) { remembered[$0]?.deliveries[$1]?.watched }
            couriers[courier]?.remembered.deliveries[delivery.watched.delivery.id] = delivery
        }
        guard withDuty else { return }
        for row in results[2].rows {
            let (courier, period) = try PhoneRepository.duty(row)
            couriers[courier]?.duty.periods.append(period)
        }
    }

    // MARK: What the fixes make of it

    /// Takes in what one phone said.
    mutating func take(_ heard: TakeFixes.Heard) {
        var one = Taken(heard: heard)
        guard var courier = couriers[heard.courier] else { return taken.append(one) }
        for fix in heard.fixes {
            if heard.isOnDutyOnly, !courier.duty.covers(fix.time) {
                one.outcome.ignored.count(.offDuty)
                continue
            }
            do throws(FixFault) {
                try courier.remembered.tracks.insert(fix, from: heard.phone, receivedAt: now)
                one.kept.append(fix)
                one.outcome.accepted += 1
            } catch {
                one.outcome.ignored.count(DropReason(error))
                if error == .tooFast { one.kept.append(fix) }
            }
        }
        courier.isChanged = courier.isChanged || !one.kept.isEmpty
        if !heard.traceHeaders.isEmpty { courier.traceHeaders = heard.traceHeaders }
        couriers[heard.courier] = courier
        taken.append(one)
    }

    /// Looks at everything that those who moved are under way with, and says what is news.
    mutating func look() throws {
        for (id, courier) in couriers.sorted(by: { $0.key < $1.key }) {
            let track = courier.remembered.tracks.followed
            guard track != courier.former, let latest = track.latest,
                now.timeIntervalSince(latest.time) <= TakeFixes.backlogSeconds
            else { continue }
            try look(at: id, track)
        }
    }

    private mutating func look(at id: CourierID, _ track: CourierTrack) throws {
        guard var courier = couriers[id] else { return }
        let live = courier.remembered.deliveries.values.map(\.watched)
            .sorted { $0.delivery.id.rawValue < $1.delivery.id.rawValue }
        let carried = live.map(\.delivery)
        for var watched in live {
            let delivery = watched.delivery.id
            let observation = watcher.observe(&watched, track: track, carried: carried, now: now)
            if !observation.isQuiet {
                watched.nextWord(isForScreens: observation.isForScreens)
                hasSpoken = true
                let messages = try announcement.messages(
                    for: watched, signs: observation.signs, isForScreens: observation.isForScreens, at: now)
                words += messages.map { message in
                    var message = message
                    message.headers.merge(courier.traceHeaders) { own, _ in own }
                    return message.insertion
                }
            }
            if observation.signs.contains(.heard), let due = watcher.silentAt(watched, track: track, now: now) {
                words.append(NoticeSilence.timer(for: delivery, dueAt: due).scheduling)
            }
            courier.remembered.deliveries[delivery]?.watched = watched
            courier.seen.append(delivery)
        }
        couriers[id] = courier
    }

    // MARK: What is written

    /// Writes it all in one round trip, and commits.
    ///
    /// - Returns: what became of what each phone said.
    mutating func save(in transaction: PostgresTransaction) async throws -> [TakeFixes.Outcome] {
        let changed = couriers.filter(\.value.isChanged).map {
            ($0.key, $0.value.remembered.tracks.followed.latest?.time)
        }
        .sorted { $0.0 < $1.0 }
        let rows = taken.flatMap { one in one.kept.map { (one.heard, $0) } }
        let seen = couriers.values.flatMap { courier in
            courier.seen.compactMap { courier.remembered.deliveries[$0]?.watched }
        }
        let phones = taken.filter(\.heard.notesHearing).map(\.heard.phone)
        var statements: [SQL] = []
        if !changed.isEmpty { statements.append(CourierETARepository.noting(changed)) }
        if !rows.isEmpty { statements.append(CourierETARepository.keeping(rows, receivedAt: now)) }
        if !seen.isEmpty { statements.append(try CourierETARepository.updatingWatches(seen)) }
        if !phones.isEmpty { statements.append(PhoneRepository.heard(phones, at: now)) }
        let results = try await transaction.commit(with: statements + words)

        if !changed.isEmpty { try note(CourierETARepository.revisions(results[0].rows)) }
        if !rows.isEmpty { try count(results[changed.isEmpty ? 0 : 1].rows) }
        for (id, courier) in couriers {
            for delivery in courier.seen { couriers[id]?.remembered.deliveries[delivery]?.revision += 1 }
        }
        return taken.map(\.outcome)
    }

    /// A row that is not where it was expected to go was another process's first.
    private mutating func note(_ revisions: [CourierID: Int]) throws {
        for (id, revision) in revisions {
            let expected = (couriers[id]?.remembered.revision ?? 0) + 1
            couriers[id]?.isCertain = revision == expected
            couriers[id]?.remembered.revision = revision
        }
    }

    /// The record goes further back than the tracks: what it had already is a repeat as well.
    private mutating func count(_ inserted: [PostgresRow]) throws {
        struct Sender: Hashable {
            let courier: CourierID
            let phone: PhoneID
        }
        var new: [Sender: Int] = [:]
        for row in inserted {
            new[Sender(courier: try row.decode("courier_id"), phone: try row.decode("phone_id")), default: 0] += 1
        }
        for index in taken.indices {
            let sender = Sender(courier: taken[index].heard.courier, phone: taken[index].heard.phone)
            let kept = taken[index].kept.count
            let own = min(kept, new[sender] ?? 0)
            new[sender, default: 0] -= own
            let repeats = min(kept - own, taken[index].outcome.accepted)
            taken[index].outcome.accepted -= repeats
            taken[index].outcome.ignored.count(.duplicate, repeats)
        }
    }
}
