import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain

/// Whether a courier may be assigned without more ado: a mistyped id would be read by a customer as a name.
struct AssignableCourier: Sendable {
    /// Couriers that a refusal names.
    static let candidatesMax = 8

    /// Edits from which on two ids count as unrelated.
    private static let editsMax = 3

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
        guard let known else { throw Self.refusal(of: id, among: try await directory.all()) }
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

    static func refusal(of id: CourierID, among couriers: [CouriersBody.Row]) -> CommandFailure {
        let candidates = candidates(for: id, among: couriers).map { courier in
            let name = courier.name.map { " \($0)" } ?? ""
            let duty = courier.onDuty ? "on duty" : "off duty"
            return
                "  \(courier.courier)\(name), \(duty), \(courier.deliveries) \(courier.deliveries == 1 ? "delivery" : "deliveries")"
                .safeOnTerminal
        }
        let listed =
            candidates.isEmpty ? "No courier is enrolled." : "There are:\n\(candidates.joined(separator: "\n"))"
        return CommandFailure(
            .notFound,
            """
            courier-eta knows no courier \(id). \(listed)
            Enrol a new courier: doorstep courier enroll --courier \(id) --unknown. Every command takes a new courier with --unknown; \
            ops assign also with --name.
            """)
    }

    /// The likeliest intended couriers: by the fewest typing mistakes in id or name, then on duty, then with the fewest
    /// deliveries.
    static func candidates(for id: CourierID, among couriers: [CouriersBody.Row]) -> [CouriersBody.Row] {
        let mistyped = id.rawValue.lowercased()
        func rank(_ courier: CouriersBody.Row) -> (Int, Int, Int, CourierID) {
            let names = [courier.courier.rawValue, courier.name ?? ""].map { $0.lowercased() }
            let edits = names.map { mistyped.edits(to: $0) }.min() ?? editsMax
            return (min(edits, editsMax), courier.onDuty ? 0 : 1, courier.deliveries, courier.courier)
        }
        return Array(couriers.sorted { rank($0) < rank($1) }.prefix(candidatesMax))
    }
}

extension String {
    /// Letters to add, leave out, replace, or swap with their neighbour to make it the other text.
    fileprivate func edits(to other: String) -> Int {
        let (from, to) = (Array(self), Array(other))
        var beforeLast: [Int] = []
        var last = Array(0...to.count)
        for row in from.indices {
            var next = [row + 1]
            for column in to.indices {
                let replaced = last[column] + (from[row] == to[column] ? 0 : 1)
                var edits = Swift.min(replaced, last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, from[row] == to[column - 1], from[row - 1] == to[column] {
                    edits = Swift.min(edits, beforeLast[column - 1] + 1)
                }
                next.append(edits)
            }
            (beforeLast, last) = (last, next)
        }
        return last[to.count]
    }
}
