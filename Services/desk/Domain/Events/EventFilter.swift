import Foundation
import WireCoding

/// A reader's filter of the events of all deliveries, in the form of its URL.
struct EventFilter: Hashable, Sendable {
    /// Minutes of domain time before now in which events are shown; nil for all.
    var minutes: Int?
    var store: String?
    var courier: String?
    var kind: String?
    /// An order's whole reference.
    var reference: String?
    var delivery: String?
    /// The cursor of an older page; nil for the newest.
    var cursor: String?

    /// Minutes that a reader may choose.
    static let spans = [10, 60, 240, 1_440]
    /// Stands for every kind, the automatic notices too, which are left out without a kind.
    static let everyKind = "all"
    /// Kinds that a reader may choose; the code is open.
    static let kinds = [
        "placed", "status", "courier", "item", "milestone", "hold", "promise", "trip", "handoff", "correction",
        "dispute", "proof", "feedback", "report", "contact",
    ]

    /// The filter as a URL query with its question mark; empty without a filter.
    var query: String { URLQuery.text([("since", minutes.map { "\($0)" })] + fields) }

    /// The query for `orders`, the newest events first.
    ///
    /// - Parameter now: domain time.
    func servicesQuery(now: Date) -> String {
        let since = minutes.map { WireJSON.text(of: now.addingTimeInterval(-Double($0) * 60)) }
        var asked = self
        if kind == Self.everyKind { asked.kind = nil }
        let notices = kind == nil ? "false" : nil
        return URLQuery.text([("order", "newest"), ("since", since), ("notices", notices)] + asked.fields)
    }

    func replacing(cursor: String?) -> EventFilter {
        var filter = self
        filter.cursor = cursor
        return filter
    }

    private var fields: [(name: String, value: String?)] {
        [
            ("store", store), ("courier", courier), ("kind", kind), ("reference", reference),
            ("delivery", delivery), ("cursor", cursor),
        ]
    }
}
