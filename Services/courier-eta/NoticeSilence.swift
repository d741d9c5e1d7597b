import ArrivalEstimate
import DomainTime
import Foundation
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Looks at a delivery whose courier may have fallen silent, since no fix comes to make anybody look.
struct NoticeSilence: Sendable {
    static let kind = "silence"
    /// Seconds between two looks while the silence lasts: the window goes on opening.
    static let repeatSeconds = 300.0

    let clock: DomainClock
    let watcher: Watcher
    let announcement: Announcement

    static func timer(for delivery: DeliveryID, dueAt: Date) -> DurableTimer {
        DurableTimer(kind: kind, key: delivery.rawValue, dueAt: dueAt)
    }

    /// Runs inside the transaction that removes the timer.
    func callAsFunction(_ timer: DurableTimer, in transaction: PostgresTransaction) async throws {
        guard let id = DeliveryID(rawValue: timer.key),
            var watched = try await CourierETARepository.lockedDelivery(id, in: transaction),
            let courier = watched.delivery.courier?.id
        else { return }
        let now = clock.now
        let track = try await CourierETARepository.track(of: courier, on: transaction)
        guard let due = watcher.silentAt(watched, track: track, now: now) else { return }
        guard due <= now else {
            // Heard since: look again when that is too long ago.
            try await transaction.schedule(Self.timer(for: id, dueAt: due))
            return
        }
        let carried = try await CourierETARepository.live(of: courier, on: transaction).map(\.delivery)
        let observation = watcher.observe(&watched, track: track, carried: carried, now: now)
        if !observation.isQuiet {
            watched.nextWord(isForScreens: observation.isForScreens)
            try await transaction.enqueue(
                try announcement.messages(
                    for: watched, signs: observation.signs, isForScreens: observation.isForScreens, at: now))
        }
        try await transaction.execute(CourierETARepository.updateWatch(watched))
        try await transaction.schedule(Self.timer(for: id, dueAt: now.addingTimeInterval(Self.repeatSeconds)))
    }
}
