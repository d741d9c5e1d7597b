import DoorstepAPI
import OrderDomain

/// Which deliveries of the board are asked for.
struct BoardQuery: Hashable, Sendable {
    /// Deliveries on a page at most.
    static let pageMax = 100

    var isLate = false
    var isSilent = false
    var isUnassigned = false
    var status: String?
    var store: String?
    var courier: String?
    var search: String?
    var limit: Int
    var cursor: String?

    /// As `GET /v1/deliveries` takes it.
    var items: [(name: String, value: String?)] {
        [
            ("late", isLate ? "true" : nil), ("flag", isSilent ? Flag.courierSilent.rawValue : nil),
            ("unassigned", isUnassigned ? "true" : nil), ("status", status), ("store", store), ("courier", courier),
            ("search", search), ("limit", String(limit)), ("cursor", cursor),
        ]
    }

    /// What it leaves out, in words; empty where it leaves out nothing.
    var words: [String] {
        [
            isLate ? "late only" : nil, isSilent ? "silent only" : nil, isUnassigned ? "without a courier only" : nil,
            status.map { "\($0) only" }, store.map { "store \($0)" }, courier.map { "courier \($0)" },
            search.map { "\"\($0)\"" },
        ].compactMap(\.self)
    }
}
