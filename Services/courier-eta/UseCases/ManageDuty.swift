import DomainTime
import Foundation
import OrderDomain
import PostgresClient

/// Begins, ends and reads couriers' duty.
struct ManageDuty: Sendable {
    let pool: PostgresPool
    let clock: DomainClock

    /// A duty cannot end then: the time has passed, or is more than ``Duty/hoursMax`` ahead.
    struct WrongEnd: Error {}

    /// The period in which the courier is on duty now; nil off duty.
    func period(of courier: CourierID) async throws -> Duty.Period? {
        let now = clock.now
        let rows = try await pool.query(PhoneRepository.duties(of: [courier], since: now))
        return Duty(periods: try rows.map { try PhoneRepository.duty($0).period }).period(at: now)
    }

    /// Begins a duty, or changes when the present one ends.
    ///
    /// - Parameter end: nil for ``Duty/hoursUsual`` from now.
    /// - Throws: ``WrongEnd``.
    func begin(of courier: CourierID, until end: Date?, by subject: String) async throws {
        let now = clock.now
        let end = end ?? now.addingTimeInterval(Duty.hoursUsual * 3_600)
        guard end > now, end <= now.addingTimeInterval(Duty.hoursMax * 3_600) else { throw WrongEnd() }
        try await PhoneRepository.beginDuty(of: courier, at: now, until: end, by: subject, on: pool)
    }

    /// Ends the present duty; a live delivery keeps the courier on duty until it ends.
    func end(of courier: CourierID, by subject: String) async throws {
        try await PhoneRepository.endDuty(of: courier, at: clock.now, by: subject, on: pool)
    }
}
