import DeliveryProviders
import Foundation

/// When the first thing of every life happens.
let start = Date(timeIntervalSince1970: 1_795_284_000)

/// What each provider sends of one delivery, in the form of its documentation, in order.
enum ProviderLife {
    static func bodies(of provider: DeliveryProvider) -> [String] {
        switch provider {
        case .doorDash: doorDash
        case .uber: uber
        case .instacart: instacart
        case .onfleet: onfleet
        case .cloudEvents: cloudEvents
        }
    }

    private static func time(_ minute: Int) -> String { start.addingTimeInterval(Double(minute) * 60).ISO8601Format() }

    private static let doorDash: [String] = [
        "DASHER_CONFIRMED", "DASHER_ENROUTE_TO_PICKUP", "DASHER_CONFIRMED_PICKUP_ARRIVAL", "DASHER_PICKED_UP",
        "DASHER_ENROUTE_TO_DROPOFF", "DASHER_CONFIRMED_DROPOFF_ARRIVAL", "DASHER_DROPPED_OFF",
    ].enumerated().map { index, name in
        """
        {"event_name":"\(name)","external_delivery_id":"D-1001","created_at":"\(time(index * 5))","dasher_id":7001,
        "dasher_name":"Sam","dasher_phone_number":"+14155550123",
        "dasher_location":{"lat":37.77,"lng":-122.41},"tracking_url":"https://example.test/t"}
        """
    }

    private static let uber: [String] = [
        ("pending", false), ("pickup", false), ("pickup", true), ("pickup_complete", false), ("dropoff", false),
        ("dropoff", true), ("delivered", false),
    ].enumerated().map { index, step in
        """
        {"kind":"event.delivery_status","id":"evt_\(index)","delivery_id":"del_1","external_id":"D-1001",
        "status":"\(step.0)","created":"\(time(index * 5))","live_mode":true,"customer_id":"cus_1",
        "data":{"courier_imminent":\(step.1),"courier":{"name":"Sam","vehicle_type":"bicycle",
        "phone_number":"+14155550123","location":{"lat":37.77,"lng":-122.41}}}}
        """
    }

    private static let instacart: [String] = [
        "brand_new", "acknowledged", "picking", "checkout", "acknowledged_for_delivery", "at_store", "bags_verified",
        "delivering", "arrival_at_customer", "delivered",
    ].enumerated().map { index, name in
        """
        {"event_id":12018959660443439\(10 + index),"event_name":"fulfillment.\(name)",
        "event_timestamp":"\(time(index * 5))","event_metadata":{"order_id":"b7fab7ae"}}
        """
    }

    private static let onfleet: [String] = [
        (6, "taskCreated"), (9, "taskAssigned"), (0, "taskStarted"), (1, "taskEta"), (2, "taskArrival"),
        (3, "taskCompleted"),
    ].enumerated().map { index, trigger in
        """
        {"taskId":"SxD9Ran7pbbyuLDz","workerId":"~5XFbX","triggerId":\(trigger.0),"triggerName":"\(trigger.1)",
        "time":\(Int(start.timeIntervalSince1970 + Double(index) * 300) * 1_000),"actionContext":null,
        "data":{"task":{"id":"SxD9Ran7pbbyuLDz"},"worker":{"name":"Sam","location":[-122.41,37.77]}}}
        """
    }

    private static let cloudEvents: [String] = [
        "accepted", "picking", "staged", "assigned", "at_store", "picked_up", "en_route", "arriving", "at_door",
        "delivered",
    ].enumerated().map { index, status in
        """
        {"specversion":"1.0","id":"\(index)","source":"//velo.example","type":"doorstep.delivery.status",
        "subject":"D-1001","time":"\(time(index * 5))","datacontenttype":"application/json",
        "data":{"status":"\(status)","courier":{"id":"sam","name":"Sam","vehicle":"bicycle"},
        "position":{"latitude":37.77,"longitude":-122.41}}}
        """
    }
}
