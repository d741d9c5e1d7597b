import Foundation
import OrderDomain

/// The filter of the timelines of many deliveries; nil is no restriction.
struct TimelineFilter: Sendable {
    /// Only entries at this domain time or later.
    var since: Date?
    var store: StoreID?
    /// Only deliveries that this courier has now.
    var courier: CourierID?
    var kind: TimelineKind?
    /// Whether notices are left out; see ``TimelineEntry/noticeKinds``.
    var isWithoutNotices = false
    /// A whole reference, in any case.
    var reference: OrderReference?
    var delivery: DeliveryID?
    var order = TimelineOrder.oldest
}

/// The first entries of a page.
enum TimelineOrder: String, CaseIterable, Sendable {
    case oldest, newest
}

/// The kind of a timeline entry, an open code such as `status`.
struct TimelineKind: RawRepresentable, Hashable, Sendable {
    let rawValue: String

    /// Nil unless the text is 1 to 32 of `a–z` and `_`.
    init?(rawValue: String) {
        guard rawValue.wholeMatch(of: /[a-z_]{1,32}/) != nil else { return nil }
        self.rawValue = rawValue
    }
}
