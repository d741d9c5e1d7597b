import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain

/// Whether a courier may be assigned without more ado: a mistyped id would be read by a customer as a name.
struct AssignableCourier: Sendable {
    let directory: CourierDirectory

    /// - Returns: a warning for the operator; nil for none.
    /// - Throws: `CommandFailure` of kind not found, with similar known couriers, for a courier never enrolled or
    ///   assigned; of kind unavailable where `courier-eta` does not answer.
    func check(_ id: CourierID) async throws -> String? {
        let known: CouriersBody.Row?
        do {
            known = try await directory.courier(id)
        } catch let failure as CommandFailure where failure.kind == .unavailable {
            throw CommandFailure(
                .unavailable,
                "courier-eta cannot be asked about a courier \(id). \(failure.message) --unknown skips that question")
        }
        guard let known else { throw Self.refusal(UnknownCourier(id, among: try await directory.all())) }
        return Self.note(about: known)
    }

    /// A warning about an assignable courier; nil for none.
    static func note(about courier: CouriersBody.Row) -> String? {
        let id = courier.courier
        if courier.phones == 0, courier.lastSeenAt == nil {
            return "\(id) has no phone enrolled, so there may be no positions; doorstep courier enroll --courier \(id)"
        }
        if courier.name == nil {
            return "\(id) was never assigned: unless the shop has described them, customers read that id; give --name"
        }
        return nil
    }

    static func refusal(_ unknown: UnknownCourier) -> CommandFailure {
        let candidates = unknown.candidates.map { "  \($0.choiceText)".safeOnTerminal }
        let listed =
            candidates.isEmpty ? "No courier is enrolled." : "There are:\n\(candidates.joined(separator: "\n"))"
        return CommandFailure(
            .notFound,
            """
            courier-eta knows no courier \(unknown.id). \(listed)
            Enrol a new courier: doorstep courier enroll --courier \(unknown.id) --unknown. Every command takes a new courier with --unknown; \
            ops assign also with --name.
            """)
    }
}
