import DomainTime
import Foundation
import OrderDomain
import PostgresClient

/// Keeps who sees to a delivery, until when nobody need, and a note.
struct KeepTriage: Sendable {
    /// Minutes for which a delivery may be put off; longer and nobody remembers it.
    static let snoozeMinutes = [10, 30, 60, 120]

    /// Somebody else has changed it since it was read.
    struct Conflict: Error, Hashable, Sendable {
        let present: Triage
    }

    /// A note that is too long, or has control characters in it.
    struct BadNote: Error, Hashable, Sendable {}

    let pool: PostgresPool
    let clock: DomainClock
    let board: LiveBoard

    /// - Parameters:
    ///   - version: of the triage that whoever changes it has seen.
    ///   - edit: changes what was read.
    /// - Throws: ``Conflict``, ``BadNote``.
    func callAsFunction(
        _ delivery: DeliveryID, version: Int, by user: DeskUser, _ edit: (inout Triage) -> Void
    ) async throws {
        let present = try await TriageRepository.triage(of: [delivery], on: pool)[delivery] ?? .none
        guard present.version == version else { throw Conflict(present: present) }
        var triage = present
        edit(&triage)
        guard triage.note.count <= Triage.noteCharactersMax,
            triage.note.unicodeScalars.allSatisfy({ $0 == "\n" || $0.properties.generalCategory != .control })
        else { throw BadNote() }
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
}
