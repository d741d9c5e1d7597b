import DeliveryProviders
import Foundation
import OrderDomain
import Testing

@Suite("The ids of providers' couriers")
struct CourierIDTests {
    private func event(
        _ provider: DeliveryProvider, _ body: String, from source: String = "velo"
    ) throws -> ProviderEvent {
        try #require(
            try provider.events(
                in: Data(body.utf8), receivedAt: start.addingTimeInterval(7_200), from: source
            ).first
        ).get()
    }

    /// A webhook of each provider that names a courier without an id, about the delivery `D-1`.
    private static let bodies: [(DeliveryProvider, String)] = [
        (.doorDash, #"{"event_name":"DASHER_CONFIRMED","external_delivery_id":"D-1","dasher_name":"Mohamed A."}"#),
        (
            .uber,
            #"""
            {"kind":"event.delivery_status","id":"e","delivery_id":"D-1","status":"pickup",
            "data":{"courier":{"name":"Mohamed A."}}}
            """#
        ),
        (
            .instacart,
            #"""
            {"event_name":"fulfillment.at_store","event_metadata":{"order_id":"D-1","shopper_name":"Mohamed A."}}
            """#
        ),
        (.onfleet, #"{"triggerName":"taskStarted","taskId":"D-1","data":{"worker":{"name":"Mohamed A."}}}"#),
        (
            .cloudEvents,
            #"""
            {"specversion":"1.0","id":"1","source":"s","type":"doorstep.delivery.status","subject":"D-1",
            "data":{"status":"assigned","courier":{"name":"Mohamed A."}}}
            """#
        ),
    ]

    @Test("A name without an id is one courier within a delivery, and another in each other delivery")
    func names() throws {
        #expect(Set(Self.bodies.map(\.0)) == Set(DeliveryProvider.allCases))
        for (provider, body) in Self.bodies {
            func courier(_ delivery: String, _ name: String = "Mohamed A.") throws -> Courier? {
                let body = body.replacing("D-1", with: delivery).replacing("Mohamed A.", with: name)
                return try event(provider, body).report?.courier
            }
            let first = try #require(try courier("D-1"))
            #expect(first.name == "Mohamed A." && first.id.rawValue.hasPrefix("\(provider.rawValue)-"))
            #expect(try courier("D-1") == first)
            #expect(try courier("D-2")?.id != first.id, "\(provider)")
            #expect(try courier("D-1", "Mohamed B.")?.id != first.id, "\(provider)")
            #expect(try courier("D-1", "Sam")?.id != courier("D-2", "Sam")?.id, "a name that is an identifier")
        }
    }

    @Test("A name ends before a character of too many bytes, and one that begins with it is replaced by the source's")
    func longCharacters() throws {
        let letter = "a" + String(repeating: "\u{0301}", count: ProviderReport.textBytesMax)
        for (provider, body) in Self.bodies {
            func report(_ courier: String, source: String? = nil) throws -> ProviderReport? {
                let body = body.replacing("Mohamed A.", with: courier)
                let events = try provider.events(
                    in: Data(body.utf8), receivedAt: start, from: "velo", name: source)
                return try events.first?.get().report
            }
            #expect(try report("Mo\(letter)")?.courier?.name == "Mo", "\(provider)")
            #expect(try report("\(letter)b", source: "Velo")?.courier?.name == "Velo", "\(provider)")
            let unnamed = try #require(try report(letter, source: letter))
            #expect(unnamed.courier?.name == provider.name && unnamed.sourceName == provider.name)
        }
    }

    @Test("Each source of CloudEvents has couriers of its own, by id and by name; a provider has one for all sources")
    func sources() throws {
        for (provider, body) in Self.bodies {
            let couriers = try ["velo", "cargo"].map { try event(provider, body, from: $0).report?.courier?.id }
            #expect(!couriers.contains(nil) && Set(couriers).count == (provider == .cloudEvents ? 2 : 1), "\(provider)")
        }
        func courier(_ id: String, _ source: String) throws -> CourierID {
            let body = """
                {"specversion":"1.0","id":"1","source":"s","type":"doorstep.delivery.status","subject":"D-1",
                "data":{"status":"assigned","courier":{"id":"\(id)"}}}
                """
            return try #require(try event(.cloudEvents, body, from: source).report?.courier?.id)
        }
        #expect(try courier("7", "velo").rawValue == "cloudevents-velo_7")
        let long = String(repeating: "7", count: 64)
        // Of a source's id with an underscore it would be open where it ends.
        let couriers = [
            ("7", "velo"), ("7", "cargo"), ("cargo_7", "velo"), ("7", "velo_cargo"), ("Søren", "velo"),
            ("Søren", "cargo"), (long, "velo"), (long, "cargo"), ("7", long), ("8", long),
        ]
        let ids = try couriers.map { try courier($0.0, $0.1) }
        #expect(Set(ids).count == ids.count && ids.allSatisfy { $0.isOf(.cloudEvents) })
        #expect(try couriers.map { try courier($0.0, $0.1) } == ids)
        let dasher = #"{"event_name":"DASHER_CONFIRMED","external_delivery_id":"D-1","dasher_id":7}"#
        #expect(try event(.doorDash, dasher).report?.courier?.id.rawValue == "doordash-7")
    }

    @Test("Every webhook of Uber about one delivery has the same courier, with our reference or not, and of its return")
    func uber() throws {
        let bodies = [
            #"{"kind":"event.delivery_status","id":"e1","delivery_id":"del_1","external_id":"G-1","status":"pickup","#
                + #""data":{"id":"del_1","courier":{"name":"Cori R."}}}"#,
            #"{"kind":"event.courier_update","delivery_id":"del_1","location":{"lat":40.7,"lng":-74.0},"#
                + #""data":{"external_id":"G-1","courier":{"name":"Cori R."}}}"#,
            #"{"kind":"event.courier_update","location":{"lat":40.7,"lng":-74.0},"#
                + #""data":{"id":"del_1","related_deliveries":[{"id":"ret_1"}],"courier":{"name":"Cori R."}}}"#,
            #"{"kind":"event.courier_update","delivery_id":"ret_1","location":{"lat":40.7,"lng":-74.0},"#
                + #""data":{"related_deliveries":[{"id":"del_1"}],"courier":{"name":"Cori R."}}}"#,
            #"{"kind":"event.delivery_return","id":"e2","delivery_id":"ret_1","status":"pickup","#
                + #""data":{"related_deliveries":[{"id":"del_1"}],"courier":{"name":"Cori R."}}}"#,
        ]
        let events = try bodies.map { try event(.uber, $0) }
        let couriers = events.map { $0.report?.courier?.id ?? $0.position?.courier }
        #expect(!couriers.contains(nil) && Set(couriers).count == 1)
    }
}
