import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import PostgresClient
import TestSupport
import Testing
import WireCoding

@testable import Orders

extension CourierExportTests {
    private static func archive(
        _ id: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> ExportedCourier.Archive {
        let bytes = Data(try await ExportedCustomer.archive(id, orders, client).body.readableBytesView)
        return try WireJSON.decode(ExportedCourier.Archive.self, from: bytes)
    }

    @Test("No ride of a part is lost when another delivery is assigned to the courier before the part is whole")
    func joined() async throws {
        try await OrdersUnderTest.run { orders, client in
            try await ExportTurnsTests.place(6, of: "mette", orders, client)
            let all: [DeliveryID] = try await orders.pool.query(
                "SELECT delivery_id FROM deliveries ORDER BY delivery_id"
            ).map { try $0.identifier("delivery_id") }
            let (joining, unreadable) = (all[10], all[20])
            let jonas = Courier(
                id: try #require(CourierID(rawValue: "jonas")), name: "Jonas", vehicle: .bicycle, phone: nil)
            // A number that no key opens ends the first turn within the part.
            let sealed = "9:" + String(repeating: "A", count: PersonalDataBox.sealedBytesMin)
            func assign(_ deliveries: [DeliveryID], phone: String? = nil) async throws {
                try await orders.pool.execute(
                    """
                    UPDATE deliveries SET courier_id = 'jonas',
                        snapshot = jsonb_set(snapshot, '{courier}', \(try OrderRepository.json(jonas.with(phone: phone)))::jsonb)
                    WHERE delivery_id = ANY(\(deliveries.map(\.rawValue))::text[])
                    """)
            }
            try await assign(all.filter { $0 != joining && $0 != unreadable })
            try await assign([unreadable], phone: sealed)
            let id = try await ExportedCourier.request(of: "jonas", orders, client).decode(PersonRequestBody.self).id
            let services = ExportingServicesByTest()
            #expect(try await orders.continueExports(asking: services.client)() != nil)
            try await assign([joining, unreadable])
            try await orders.pool.execute("UPDATE person_exports SET leased_until = now() - interval '1 s'")
            #expect(try await orders.continueExports(asking: services.client)() == nil)
            let rides = try await Self.archive(id, orders, client).rides.map(\.delivery)
            #expect(rides == all.filter { $0 != joining })
        }
    }

    @Test("What was done before an erasure of the same id is of another person, and in no archive of the new courier")
    func usedAgain() async throws {
        try await OrdersUnderTest.run { orders, client in
            let (own, former) = try await ExportedCourier.rode(orders, client)
            try await orders.set(.delivered, former, client)
            let erased = try await CourierErasureTests.erase(of: ExportedCourier.id, orders, client)
            #expect(erased.status == .accepted, "\(String(buffer: erased.body))")
            _ = try await orders.continueErasures(asking: ErasingServicesByTest().client)()
            // An entry of another store's delivery, which a store's erasure leaves, and the new courier's own.
            for seconds in [-60, 60] {
                try await orders.pool.execute(
                    """
                    INSERT INTO timeline (delivery_id, at, version, kind, what, changed_by)
                    SELECT \(own.rawValue), \(orders.clock.domain.now.addingTimeInterval(TimeInterval(seconds))), 1, 'status',
                        \("\(seconds)"), \("courier \(ExportedCourier.id)")
                    """)
            }
            let id = try await ExportedCourier.request(orders, client).decode(PersonRequestBody.self).id
            #expect(try await orders.continueExports(asking: ExportingServicesByTest().client)() == nil)
            let bytes = try await ExportedCustomer.archive(id, orders, client).body
            #expect(String(buffer: bytes).contains(#""change":"60""#) && !String(buffer: bytes).contains(#""-60""#))
        }
    }
}
