import DeliveryProviders
import Foundation
import OrderDomain
import Testing

@Suite("Uber's notifications of the kind dapi.status_changed")
struct UberNotificationTests {
    private func event(_ meta: String, time: String = "1795284300") throws -> ProviderEvent {
        let body = """
            {"event_id":"9d1c5e0a","event_type":"dapi.status_changed","event_time":\(time),
            "resource_href":"https://uber.example/orders/3f0b6d1e","meta":\(meta)}
            """
        return try #require(
            try DeliveryProvider.uber.events(
                in: Data(body.utf8), receivedAt: start.addingTimeInterval(7_200), from: "uber-oslo"
            ).first
        ).get()
    }

    private func meta(_ status: String, isReturning: Bool = false) -> String {
        """
        {"courier_trip_id":"t","external_order_id":"G-1","order_id":"3f0b6d1e","status":"\(status)",
        "is_returning":\(isReturning),"related_deliveries":[{"id":"77aa"}]}
        """
    }

    @Test("Its event, delivery and time are read")
    func envelope() throws {
        let event = try event(meta("EN_ROUTE_TO_PICKUP"))
        #expect(event.key == "9d1c5e0a" && event.kind == "dapi.status_changed EN_ROUTE_TO_PICKUP")
        #expect(event.references == ["3f0b6d1e", "G-1", "77aa"] && event.isKnown && !event.isTest)
        #expect(event.shopReference == "G-1")
        #expect(event.report?.occurredAt == start.addingTimeInterval(300) && event.report?.courier == nil)
        let own = try self.event(#"{"order_id":"3f0b6d1e","status":"FAILED"}"#)
        #expect(own.references == ["3f0b6d1e"] && own.shopReference == nil && own.report?.status == .failed)
    }

    @Test("Each of its statuses has a meaning, and another one where the delivery is a return")
    func statuses() throws {
        let meanings: [(String, StatusCode, StatusCode)] = [
            ("SCHEDULED", .unassigned, .returning), ("EN_ROUTE_TO_PICKUP", .toStore, .returning),
            ("ARRIVED_AT_PICKUP", .atStore, .returning), ("EN_ROUTE_TO_DROPOFF", .enRoute, .returning),
            ("ARRIVED_AT_DROPOFF", .atDoor, .returning), ("COMPLETED", .delivered, .returned),
            ("FAILED", .failed, .failed),
        ]
        for (status, there, back) in meanings {
            #expect(try event(meta(status)).report?.status == there, "\(status)")
            #expect(try event(meta(status, isReturning: true)).report?.status == back, "\(status)")
        }
    }

    @Test(
        "Milliseconds are a time too, and one that cannot be is no reason to refuse",
        arguments: [
            ("1795284300000", 300), ("53927476000", nil), ("1795284300000000", nil), ("null", nil), ("\"now\"", nil),
        ] as [(String, Double?)])
    func times(time: String, after: Double?) throws {
        let report = try #require(try event(meta("COMPLETED"), time: time).report)
        #expect(report.status == .delivered && report.occurredAt == after.map(start.addingTimeInterval))
    }
}
