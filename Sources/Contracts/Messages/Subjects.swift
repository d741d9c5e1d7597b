/// The subjects of all messages; no other file contains one.
///
/// A message of a stream is a batch: it carries what one transaction committed for its subject.
public enum Subject {
    /// Changes of deliveries that have or have had a courier, and the first and the last change of every other delivery.
    public static let deliveriesChanged = "orders.deliveries-changed.tracked"
    /// Changes of deliveries that wait for their first courier: irrelevant to consumers that track couriers.
    public static let deliveriesChangedUnassigned = "orders.deliveries-changed.unassigned"
    public static let estimatesChanged = "couriers.estimates-changed"
    public static let milestonesReached = "couriers.milestones-reached"
    public static let providersReported = "partners.reports"
    public static let providerPositions = "partners.positions"
    /// The broker restricts each writer to its own subject.
    public static func intents(_ writer: Writer) -> String { "activities.intents.\(writer.rawValue)" }
    public static let cardHealth = "activities.cards-health"

    /// Notices between replicas of `activity-dispatch`; in no stream.
    public static let streamsChanged = "devices.streams-changed"

    /// A ``WantedCardsQuestion`` to `activity-dispatch`; in no stream.
    public static let cardsWanted = "cards.wanted"
    /// An ``AlertSubscriptionRequest`` to `activity-dispatch`; in no stream.
    public static let alertSubscriptions = "alerts.subscriptions"

    /// A ``CourierPlacesQuestion`` to `courier-eta`; in no stream.
    public static let placesWanted = "positions.wanted"

    /// A ``DeliveryVersionsQuestion`` to `orders`; in no stream.
    public static let deliveryVersions = "deliveries.versions"

    /// An ``ErasureRequest`` to a service; in no stream, which would keep the person's id for a day.
    public static func erasures(_ service: ErasingService) -> String { "erasures.\(service.rawValue)" }

    /// An ``ExportRequest`` to a service; in no stream, which would keep the person's data for a day.
    public static func exports(_ service: ErasingService) -> String { "exports.\(service.rawValue)" }

    /// The subject of messages that make readers read deliveries from a service again: an id in each line; in no stream.
    public static func wake(_ service: Writer) -> String { "wake.\(service.rawValue)" }
    public static let allWakes = "wake.*"

    /// The ``wake(_:)`` subject after a published message; nil for a message without news about deliveries.
    public static func wake(after published: String) -> String? {
        switch published {
        case deliveriesChanged, deliveriesChangedUnassigned: wake(.orders)
        case estimatesChanged: wake(.courierETA)
        case cardHealth: wake(.activityDispatch)
        default: nil
        }
    }

    /// Digests of published objects, each to the service that reads them; in no stream.
    public static let courierETADeliveries = "resync.courier-eta.deliveries"
    public static let activityDispatchIntents = "resync.activity-dispatch.intents"
    public static let partnersDeliveries = "resync.partners.deliveries"
    public static let ordersReports = "resync.orders.reports"
    public static let ordersEstimates = "resync.orders.estimates"
    public static let ordersCardHealth = "resync.orders.card-health"

    /// Includes deliveries that wait for their first courier.
    public static let everyDeliveryChanged = "orders.deliveries-changed.*"
    public static let allIntents = "activities.intents.*"
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
    /// The durable's name: the service's name, with its subject where the service has several.
    public let durable: String
    public let subject: String

    private init(_ stream: StreamDefinition, _ name: String, _ subject: String) {
        self.stream = stream
        // Without the ending they were the durables of 0.24, for messages without batches.
        durable = name + "-batches"
        self.subject = subject
    }

    public static let ordersMilestones = ConsumerDefinition(
        .couriers, "orders-milestones", Subject.milestonesReached)
    public static let ordersEstimates = ConsumerDefinition(
        .couriers, "orders-estimates", Subject.estimatesChanged)
    public static let ordersCardHealth = ConsumerDefinition(
        .activities, "orders-card-health", Subject.cardHealth)
    public static let ordersReports = ConsumerDefinition(
        .partners, "orders-reports", Subject.providersReported)
    public static let courierETADeliveries = ConsumerDefinition(
        .orders, "courier-eta", Subject.deliveriesChanged)
    public static let courierETAPositions = ConsumerDefinition(
        .partners, "courier-eta-positions", Subject.providerPositions)
    public static let partnersDeliveries = ConsumerDefinition(
        .orders, "partners", Subject.everyDeliveryChanged)
    public static let activityDispatchIntents = ConsumerDefinition(
        .activities, "activity-dispatch", Subject.allIntents)

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
