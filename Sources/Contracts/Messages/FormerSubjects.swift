public import OrderDomain

/// The subjects of messages as version 0.24 publishes them: a single element in each, and its id in the subject.
///
/// Nothing is published to them any more; streams and outboxes may still hold such messages after an upgrade.
public enum FormerSubject {
    public static func deliveryChanged(_ delivery: DeliveryID) -> String { "orders.delivery-changed.\(delivery)" }
    public static func deliveryChangedUnassigned(_ delivery: DeliveryID) -> String {
        "orders.delivery-changed.\(delivery).unassigned"
    }
    public static func estimateChanged(_ delivery: DeliveryID) -> String { "couriers.estimate-changed.\(delivery)" }
    public static func milestoneReached(_ delivery: DeliveryID) -> String { "couriers.milestone-reached.\(delivery)" }
    public static func providerReported(_ delivery: DeliveryID) -> String { "partners.report.\(delivery)" }
    public static func providerPosition(_ delivery: DeliveryID) -> String { "partners.position.\(delivery)" }
    public static func intent(_ writer: Writer, _ customer: CustomerID, _ activity: ActivityID) -> String {
        "activities.intent.\(writer.rawValue).\(customer).\(activity)"
    }
    public static func cardHealth(_ delivery: DeliveryID) -> String { "activities.card-health.\(delivery)" }

    static let allDeliveryChanged = "orders.delivery-changed.*"
    static let everyDeliveryChanged = "orders.delivery-changed.>"
    static let allEstimateChanged = "couriers.estimate-changed.*"
    static let allMilestoneReached = "couriers.milestone-reached.*"
    static let allProviderReported = "partners.report.*"
    static let allProviderPositions = "partners.position.*"
    static let allIntents = "activities.intent.>"
    static let allCardHealth = "activities.card-health.*"
}
