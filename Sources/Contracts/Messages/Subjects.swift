public import OrderDomain

/// The subjects of all messages; no other file contains one.
public enum Subject {
    /// Changes of a delivery that has or has had a courier, and the first and the last change of every other delivery.
    public static func deliveryChanged(_ delivery: DeliveryID) -> String { "orders.delivery-changed.\(delivery)" }
    /// Changes of a delivery that waits for its first courier: irrelevant to consumers that track couriers.
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
    /// Every intent of a customer's cards.
    public static func intents(of customer: CustomerID) -> String { "activities.intent.*.\(customer).*" }
    public static func cardHealth(_ delivery: DeliveryID) -> String { "activities.card-health.\(delivery)" }

    /// Notices between replicas of `activity-dispatch`; in no stream.
    public static let streamsChanged = "devices.streams-changed"

    /// A ``WantedCardsQuestion`` to `activity-dispatch`; in no stream.
    public static let cardsWanted = "cards.wanted"
    /// An ``AlertSubscriptionRequest`` to `activity-dispatch`; in no stream.
    public static let alertSubscriptions = "alerts.subscriptions"

    /// A ``DeliveryVersionsQuestion`` to `orders`; in no stream.
    public static let deliveryVersions = "deliveries.versions"

    /// The subject of an empty message that makes readers read a delivery from a service again; in no stream.
    public static func wake(_ service: Writer, _ delivery: DeliveryID) -> String {
        "wake.\(service.rawValue).\(delivery)"
    }
    public static let allWakes = "wake.>"

    /// The delivery of a ``wake(_:_:)``; nil for any other subject.
    public static func wokenDelivery(_ subject: String) -> DeliveryID? {
        let parts = subject.split(separator: ".")
        guard parts.count == 3, parts[0] == "wake" else { return nil }
        return DeliveryID(rawValue: String(parts[2]))
    }

    /// The ``wake(_:_:)`` subject after a published message; nil for a message without news about a delivery.
    public static func wake(after published: String) -> String? {
        let parts = published.split(separator: ".")
        guard parts.count >= 3, let delivery = DeliveryID(rawValue: String(parts[2])) else { return nil }
        switch (parts[0], parts[1]) {
        case ("orders", "delivery-changed"): return wake(.orders, delivery)
        case ("couriers", "estimate-changed"): return wake(.courierETA, delivery)
        case ("activities", "card-health"): return wake(.activityDispatch, delivery)
        default: return nil
        }
    }

    /// Digests of published objects, each to the service that reads them; in no stream.
    public static let courierETADeliveries = "resync.courier-eta.deliveries"
    public static let activityDispatchIntents = "resync.activity-dispatch.intents"
    public static let partnersDeliveries = "resync.partners.deliveries"
    public static let ordersReports = "resync.orders.reports"
    public static let ordersEstimates = "resync.orders.estimates"
    public static let ordersCardHealth = "resync.orders.card-health"

    public static let allDeliveryChanged = "orders.delivery-changed.*"
    /// Includes deliveries that wait for their first courier.
    public static let everyDeliveryChanged = "orders.delivery-changed.>"
    public static let allEstimateChanged = "couriers.estimate-changed.*"
    public static let allMilestoneReached = "couriers.milestone-reached.*"
    public static let allProviderReported = "partners.report.*"
    public static let allProviderPositions = "partners.position.*"
    public static let allIntents = "activities.intent.>"
    public static let allCardHealth = "activities.card-health.*"
}

/// A stream's name and subjects.
public struct StreamDefinition: Hashable, Sendable {
    public let name: String
    public let subjects: [String]
    /// The share of the byte limit per stream that this stream gets, from 0 to 1: less where messages are few.
    public var bytesShare = 1.0

    /// Hours for which a stream keeps a message; a resync from Postgres replaces older ones.
    public static let maxAgeHours = 24

    public static let orders = StreamDefinition(name: "ORDERS", subjects: ["orders.>"])
    public static let couriers = StreamDefinition(name: "COURIERS", subjects: ["couriers.>"])
    public static let activities = StreamDefinition(name: "ACTIVITIES", subjects: ["activities.>"])
    public static let partners = StreamDefinition(name: "PARTNERS", subjects: ["partners.>"], bytesShare: 0.2)

    public static let all = [orders, couriers, activities, partners]
}

/// A durable pull consumer: a service's position in a stream, shared by its replicas.
public struct ConsumerDefinition: Hashable, Sendable {
    public let stream: StreamDefinition
    /// The durable's name: the service's name, with its subject where the service has two.
    public let durable: String
    public let subject: String

    public static let ordersMilestones = ConsumerDefinition(
        stream: .couriers, durable: "orders-milestones", subject: Subject.allMilestoneReached)
    public static let ordersEstimates = ConsumerDefinition(
        stream: .couriers, durable: "orders-estimates", subject: Subject.allEstimateChanged)
    public static let ordersCardHealth = ConsumerDefinition(
        stream: .activities, durable: "orders-card-health", subject: Subject.allCardHealth)
    public static let ordersReports = ConsumerDefinition(
        stream: .partners, durable: "orders-reports", subject: Subject.allProviderReported)
    public static let courierETADeliveries = ConsumerDefinition(
        stream: .orders, durable: "courier-eta", subject: Subject.allDeliveryChanged)
    public static let courierETAPositions = ConsumerDefinition(
        stream: .partners, durable: "courier-eta-positions", subject: Subject.allProviderPositions)
    public static let partnersDeliveries = ConsumerDefinition(
        stream: .orders, durable: "partners", subject: Subject.everyDeliveryChanged)
    public static let activityDispatchIntents = ConsumerDefinition(
        stream: .activities, durable: "activity-dispatch", subject: Subject.allIntents)

    public static let all = [
        ordersMilestones, ordersEstimates, ordersCardHealth, ordersReports, courierETADeliveries,
        courierETAPositions, partnersDeliveries, activityDispatchIntents,
    ]
}

/// The consumers relevant to a service's broker check.
public struct ServiceConsumers: Hashable, Sendable {
    /// The service's own consumers.
    public let reads: [ConsumerDefinition]
    /// Other services' consumers of this service's messages.
    public let writes: [ConsumerDefinition]

    public static let orders = ServiceConsumers(
        reads: [.ordersMilestones, .ordersEstimates, .ordersCardHealth, .ordersReports],
        writes: [.courierETADeliveries, .partnersDeliveries, .activityDispatchIntents])
    public static let courierETA = ServiceConsumers(
        reads: [.courierETADeliveries, .courierETAPositions],
        writes: [.ordersMilestones, .ordersEstimates, .activityDispatchIntents])
    public static let activityDispatch = ServiceConsumers(
        reads: [.activityDispatchIntents], writes: [.ordersCardHealth])
    public static let partners = ServiceConsumers(
        reads: [.partnersDeliveries], writes: [.ordersReports, .courierETAPositions])
}

/// A service that writes intents.
public enum Writer: String, CaseIterable, Hashable, Codable, Sendable {
    case orders
    case courierETA = "courier-eta"
    case activityDispatch = "activity-dispatch"
}
