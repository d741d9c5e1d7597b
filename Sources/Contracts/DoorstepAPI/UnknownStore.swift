/// The refusal of a filter by a store that no order is of: a mistyped id would read as a store without deliveries.
public struct UnknownStore: Error, Hashable, CustomStringConvertible, Sendable {
    public let id: String
    /// The likeliest intended stores: by the fewest typing mistakes in the id.
    public let candidates: [String]

    /// - Parameter stores: the stores with live deliveries.
    public init(_ id: String, among stores: some Sequence<String>) {
        let mistyped = id.lowercased()
        let ranked = Set(stores).map { (edits: mistyped.edits(to: $0.lowercased()), id: $0) }
            .sorted { ($0.edits, $0.id) < ($1.edits, $1.id) }
        self.id = id
        candidates = ranked.prefix(UnknownCourier.candidatesMax).map { $0.id }
    }

    public var description: String {
        let listed =
            candidates.isEmpty
            ? "No delivery is live." : "Stores with live deliveries: \(candidates.joined(separator: ", "))."
        return "no order is of a store \(id). \(listed)"
    }
}
