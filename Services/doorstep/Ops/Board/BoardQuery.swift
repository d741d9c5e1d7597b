import CommandOutput
import DoorstepAPI
import OrderDomain

/// The query of the board's deliveries.
struct BoardQuery: Hashable, Sendable {
    /// Deliveries on a page at most.
    static let pageMax = 100

    var isLate = false
    var isSilent = false
    var isDisputed = false
    var isUnassigned = false
    var hasCardsBehind = false
    var status: String?
    var store: String?
    var courier: String?
    var search: String?
    var limit: Int
    var cursor: String?

    /// The query items of `GET /v1/deliveries`.
    var items: [(name: String, value: String?)] {
        [
            ("late", isLate ? "true" : nil), ("flag", flag?.rawValue),
            ("unassigned", isUnassigned ? "true" : nil), ("cardsBehind", hasCardsBehind ? "true" : nil),
            ("status", status), ("store", store), ("courier", courier), ("search", search), ("limit", String(limit)),
            ("cursor", cursor),
        ]
    }

    var check: FilterCheck { FilterCheck(store: store, courier: courier) }

    private var flag: Flag? { isSilent ? .courierSilent : isDisputed ? .disputed : nil }

    /// The refusal of a store without any order, which names those of other deliveries.
    static func refusal(ofStore store: String, among rows: [BoardBody.Row]) -> CommandFailure {
        CommandFailure(
            .notFound, UnknownStore(store, among: rows.map(\.store.rawValue)).description.safeOnTerminal)
    }

    /// The filters in words; empty without filters.
    var words: [String] {
        [
            isLate ? "late only" : nil, isSilent ? "silent only" : nil,
            isDisputed ? "disputed only" : nil, isUnassigned ? "needing a courier only" : nil,
            hasCardsBehind ? "with cards behind only" : nil,
            status.map { "\($0) only" }, store.map { "store \($0)" }, courier.map { "courier \($0)" },
            search.map { "\"\($0)\"" },
        ].compactMap(\.self)
    }
}
