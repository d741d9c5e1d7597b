/// One live delivery of a customer's summary.
public struct SummarizedDelivery: Hashable, Sendable {
    public let shown: ShownActivity

    public init(_ shown: ShownActivity) { self.shown = shown }

    fileprivate var needsCustomer: Bool { shown.content.isWaitingForCustomer }

    private var isAtDoor: Bool { shown.content.phase == .atDoor && shown.isArriving }

    /// The window to show: the arrival, or the first promise while that holds; nil for a delivery at the door, and
    /// where nothing arrives.
    fileprivate var shownWindow: Window? {
        if isAtDoor || !shown.isArriving { return nil }
        return shown.content.arrival ?? (shown.content.hasFirstPromise ? shown.attributes.promise : nil)
    }

    /// Deliveries at the door come first, those of which nothing arrives last.
    private var dueAt: Int { isAtDoor ? .min : shown.isArriving ? shown.dueAt ?? .max : .max }

    /// The place among a customer's deliveries; equal ones are ordered by order, bag and id, as their cards are.
    fileprivate var rank: (Int, String, Int, String) {
        let attributes = shown.attributes
        return (dueAt, attributes.reference ?? "", attributes.bag?.number ?? 0, attributes.activity)
    }
}

extension ActivityStep {
    /// The state of a customer's summary of these live deliveries; nil without deliveries.
    ///
    /// The caller decides whether a summary exists: from three live deliveries on, until there are fewer than two.
    public static func summary(of deliveries: [SummarizedDelivery], activity: String, version: Int) -> ActivityStep? {
        let byArrival = deliveries.sorted { $0.rank < $1.rank }
        guard let first = byArrival.first else { return nil }
        let next = first.shown
        let waiting = byArrival.filter(\.needsCustomer)
        var values = ["count": String(deliveries.count)]
        if let window = first.shownWindow {
            values["from"] = String(window.from)
            values["to"] = String(window.to)
        }
        let detail =
            waiting.isEmpty
            ? Phrase(joining: Phrase(.summaryNext, ["store": next.attributes.store]), next.content.headline)
            : Phrase(.summaryNeedsCustomer, ["waiting": String(waiting.count)])
        let asked = (waiting.first?.shown ?? next).content.buttons.filter { $0.verb == Verb.details.rawValue }
        // A timer counts to the arrival, as if it were certain.
        let isFollowed = next.content.isTracked && !next.content.isUncertain
        let flags = deliveries.flatMap(\.shown.content.flags).filter { summarizedFlags.contains($0) }
        return .show(
            ShownActivity(
                attributes: attributes(of: deliveries, next: next, activity: activity),
                content: GroceryDeliveryAttributes.ContentState(
                    headline: Phrase(.summary, values), phase: .several, progress: next.content.progress,
                    arrival: isFollowed ? next.content.arrival : nil, detail: detail, flags: Set(flags).sorted(),
                    buttons: asked,
                    revision: Revision(version: version, step: 0)),
                startAt: deliveries.map(\.shown.startAt).min() ?? next.startAt, staleAt: next.staleAt,
                relevance: Relevance.summary, alert: nil))
    }

    /// The end of a customer's summary; deliveries that are still live keep their own cards.
    ///
    /// - Parameters:
    ///   - attributes: of the last shown summary.
    ///   - live: the number of live deliveries left, usually one or none.
    public static func endedSummary(
        _ attributes: GroceryDeliveryAttributes, live: Int, version: Int, endedAt: Int,
        dismissal: Dismissal = .after(seconds: 5 * 60)
    ) -> ActivityStep {
        .ended(
            EndedActivity(
                attributes: attributes,
                content: GroceryDeliveryAttributes.ContentState(
                    headline: live > 0 ? Phrase(.summaryLeft, ["left": String(live)]) : Phrase(.summaryDone),
                    phase: .ended, progress: live > 0 ? 0 : 1, revision: Revision(version: version, step: 0)),
                endedAt: endedAt, dismissal: dismissal, alert: nil))
    }

    /// Flags that the summary shows when any of its deliveries has them.
    private static let summarizedFlags: Set<String> = [
        DeliverySnapshot.Flag.needsCustomer.rawValue, DeliverySnapshot.Flag.delayed.rawValue,
    ]

    private static func attributes(
        of deliveries: [SummarizedDelivery], next: ShownActivity, activity: String
    ) -> GroceryDeliveryAttributes {
        let stores = Set(deliveries.map(\.shown.attributes.store))
        return GroceryDeliveryAttributes(
            activity: activity, delivery: nil, reference: nil, store: stores.count == 1 ? next.attributes.store : "",
            bag: nil, itemCount: deliveries.count, promise: nil, timeZone: next.attributes.timeZone,
            shop: stores.count == 1 ? next.attributes.shop : nil)
    }
}
