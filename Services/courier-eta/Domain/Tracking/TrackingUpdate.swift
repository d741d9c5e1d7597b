import OrderDomain

/// The published changes of a delivery's update.
struct TrackingUpdate: Hashable, Sendable {
    /// Milestones that are new.
    var milestones: [Milestone] = []
    /// Whether another estimate is published.
    var publishesEstimate = false
    /// Whether screens show something other than an arrival, or need a refresh before they become stale.
    var refreshesScreens = false
    /// Whether the risk of a miss has changed enough for operators.
    var reportsRisk = false

    /// Whether it changes a card.
    var isForScreens: Bool { publishesEstimate || refreshesScreens || milestones.contains(where: \.isForScreens) }
    var isEmpty: Bool { milestones.isEmpty && !publishesEstimate && !refreshesScreens && !reportsRisk }
}
