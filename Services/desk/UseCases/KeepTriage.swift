import DomainTime
import Foundation
import OrderDomain
import PostgresClient

/// Stores a delivery's owner, snooze and note.
struct KeepTriage: Sendable {
    /// The snoozes in minutes; operators forget a longer one.
    static let snoozeMinutes = [10, 30, 60, 120]

    /// Another operator has changed it since it was read.
    struct Conflict: Error, Hashable, Sendable {
        let present: Triage
    }

    /// A note that is too long, or has control characters in it.
    struct BadNote: Error, Hashable, Sendable {}

    let pool: PostgresPool
    let clock: DomainClock
    let board: LiveBoard

    /// - Parameters:
    ///   - version: the triage's version that the operator saw.
    ///   - edit: changes the stored triage.
    /// - Throws: ``Conflict``, ``BadNote``.
    func callAsFunction(
        _ delivery: DeliveryID, version: Int, by user: DeskUser, _ edit: (inout Triage) -> Void
    ) async throws {
        let present = try await TriageRepository.triage(of: [delivery], on: pool)[delivery] ?? .none
        guard present.version == version else { throw Conflict(present: present) }
        var triage = present
        edit(&triage)
        // An erasure may have made the stored note longer.
        guard triage.note == present.note || Self.isGood(triage.note) else { throw BadNote() }
        triage.changedBy = Triage.Owner(user).text
        triage.changedAt = clock.now
        guard
            let kept = try await TriageRepository.set(triage, of: delivery, inPlaceOf: version, on: pool)
        else {
            let present = try await TriageRepository.triage(of: [delivery], on: pool)[delivery] ?? .none
            throw Conflict(present: present)
        }
        board.set(kept, of: delivery)
    }

    private static func isGood(_ note: String) -> Bool {
        note.count <= Triage.noteCharactersMax
            && note.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control }
    }
}
