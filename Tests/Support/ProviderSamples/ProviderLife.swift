package import DeliveryProviders
package import Foundation

/// Each provider's webhooks about one delivery, in the form of its documentation.
package struct ProviderLife: Sendable {
    package let provider: DeliveryProvider
    /// The provider's reference of the delivery.
    package let reference: String
    /// The time of the first event; each later one follows after ``secondsBetween``.
    package let start: Date
    package var secondsBetween = 300.0

    package init(
        of provider: DeliveryProvider, reference: String? = nil, from start: Date, secondsBetween: Double = 300
    ) {
        self.provider = provider
        self.reference = reference ?? Self.references[provider] ?? "D-1001"
        self.start = start
        self.secondsBetween = secondsBetween
    }

    private static let references: [DeliveryProvider: String] = [
        .uber: "del_1", .instacart: "b7fab7ae", .onfleet: "SxD9Ran7pbbyuLDz",
    ]

    /// The bodies, in the order of their events.
    package var bodies: [String] {
        switch provider {
        case .doorDash: doorDash
        case .uber: uber
        case .instacart: instacart
        case .onfleet: onfleet
        case .cloudEvents: cloudEvents
        }
    }

    private func time(_ index: Int) -> String {
        start.addingTimeInterval(Double(index) * secondsBetween).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private var doorDash: [String] {
        [
            "DASHER_CONFIRMED", "DASHER_ENROUTE_TO_PICKUP", "DASHER_CONFIRMED_PICKUP_ARRIVAL", "DASHER_PICKED_UP",
            "DASHER_ENROUTE_TO_DROPOFF", "DASHER_CONFIRMED_DROPOFF_ARRIVAL", "DASHER_DROPPED_OFF",
        ].enumerated().map { index, name in
            """
            {"event_name":"\(name)","external_delivery_id":"\(reference)","created_at":"\(time(index))","dasher_id":7001,
            "dasher_name":"Sam","dasher_phone_number":"+14155550123",
            "dasher_location":{"lat":37.77,"lng":-122.41},"tracking_url":"https://example.test/t"}
            """
        }
    }

    private var uber: [String] {
        [
            ("pending", false), ("pickup", false), ("pickup", true), ("pickup_complete", false), ("dropoff", false),
            ("dropoff", true), ("delivered", false),
        ].enumerated().map { index, step in
            """
            {"kind":"event.delivery_status","id":"evt_\(reference)_\(index)","delivery_id":"\(reference)",
            "status":"\(step.0)","created":"\(time(index))","live_mode":true,"customer_id":"cus_1",
            "data":{"courier_imminent":\(step.1),"courier":{"name":"Sam","vehicle_type":"bicycle",
            "phone_number":"+14155550123","location":{"lat":37.77,"lng":-122.41}}}}
            """
        }
    }

    private var instacart: [String] {
        [
            "brand_new", "acknowledged", "picking", "checkout", "acknowledged_for_delivery", "at_store",
            "bags_verified",
            "delivering", "arrival_at_customer", "delivered",
        ].enumerated().map { index, name in
            """
            {"event_id":\(eventID(index)),"event_name":"fulfillment.\(name)",
            "event_timestamp":"\(time(index))","event_metadata":{"order_id":"\(reference)"}}
            """
        }
    }

    /// Numbers of nineteen digits, as the provider has them, that differ between deliveries.
    private func eventID(_ index: Int) -> Int {
        let hash = reference.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF }
        return 1_201_895_966_000_000_000 + hash * 100 + index
    }

    private var onfleet: [String] {
        [
            (6, "taskCreated"), (9, "taskAssigned"), (0, "taskStarted"), (1, "taskEta"), (2, "taskArrival"),
            (3, "taskCompleted"),
        ].enumerated().map { index, trigger in
            """
            {"taskId":"\(reference)","workerId":"~5XFbX","triggerId":\(trigger.0),"triggerName":"\(trigger.1)",
            "time":\(Int(start.timeIntervalSince1970 + Double(index) * secondsBetween) * 1_000),"actionContext":null,
            "data":{"task":{"id":"\(reference)"},"worker":{"name":"Sam","location":[-122.41,37.77]}}}
            """
        }
    }

    private var cloudEvents: [String] {
        [
            "accepted", "picking", "staged", "assigned", "at_store", "picked_up", "en_route", "arriving", "at_door",
            "delivered",
        ].enumerated().map { index, status in
            """
            {"specversion":"1.0","id":"\(reference)-\(index)","source":"//velo.example","type":"doorstep.delivery.status",
            "subject":"\(reference)","time":"\(time(index))","datacontenttype":"application/json",
            "data":{"status":"\(status)","courier":{"id":"sam","name":"Sam","vehicle":"bicycle"},
            "position":{"latitude":37.77,"longitude":-122.41}}}
            """
        }
    }
}
