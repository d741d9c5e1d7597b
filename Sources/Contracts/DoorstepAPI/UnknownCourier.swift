public import OrderDomain

/// The refusal to assign a courier never enrolled or assigned: customers read a mistyped id as a name.
public struct UnknownCourier: Error, Hashable, CustomStringConvertible, Sendable {
    /// Couriers that a refusal names.
    public static let candidatesMax = 8

    /// Edits from which on two ids count as unrelated.
    private static let editsMax = 3

    public let id: CourierID
    /// The likeliest intended couriers: by the fewest typing mistakes in id or name, then on duty, then with the fewest
    /// deliveries.
    public let candidates: [CouriersBody.Row]

    /// - Parameter couriers: the known ones.
    public init(_ id: CourierID, among couriers: [CouriersBody.Row]) {
        let mistyped = id.rawValue.lowercased()
        func rank(_ courier: CouriersBody.Row) -> (Int, Int, Int, CourierID) {
            let names = [courier.courier.rawValue, courier.name ?? ""].map { $0.lowercased() }
            let edits = names.map { mistyped.edits(to: $0) }.min() ?? Self.editsMax
            return (min(edits, Self.editsMax), courier.onDuty ? 0 : 1, courier.deliveries, courier.courier)
        }
        self.id = id
        // Ranked once each: edits are counted letter by letter.
        let ranked = couriers.map { (rank: rank($0), courier: $0) }.sorted { $0.rank < $1.rank }
        candidates = ranked.prefix(Self.candidatesMax).map { $0.courier }
    }

    public var description: String {
        let listed =
            candidates.isEmpty
            ? "No courier is enrolled." : "There are: \(candidates.map(\.choiceText).joined(separator: "; "))"
        return "no courier \(id) is enrolled or assigned. \(listed)"
    }
}

extension CouriersBody.Row {
    /// The courier with the facts that a choice depends on: `mira Mira, on duty, 2 deliveries`.
    public var choiceText: String {
        let name = name.map { " \($0)" } ?? ""
        return "\(courier)\(name), \(onDuty ? "on duty" : "off duty"), "
            + "\(deliveries) \(deliveries == 1 ? "delivery" : "deliveries")"
    }
}
