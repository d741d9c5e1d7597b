import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import NIOCore
import OpenAPITesting
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import ActivityDispatch

@Suite("What a store's token is good for", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct StoreScopeTests {
    let delivery = DeliveryID(UUID())

    private func server(_ service: DispatchUnderTest) async throws -> DispatchHTTPTests.Server {
        try await DispatchHTTPTests().server(service)
    }

    @Test("A customer's token that another store issued does not show an activity")
    func activity() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            try await service.show(1, of: delivery)
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                let path = "/v1/activities/\(DispatchUnderTest.activity(delivery))"
                for role in [Role.customer, .operator] {
                    let other = try await server.headers(role, "mira", store: "valby")
                    #expect(try await client.execute(uri: path, method: .get, headers: other).status == .notFound)
                }
            }
        }
    }

    @Test("A device that is registered with a store's token shows the cards of that store, and no summary")
    func device() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            let valby = try await server.headers(.customer, "mira", store: "valby", lifetime: 20)
            let ids = (0..<4).map { _ in DeliveryID(UUID()) }
            for (index, id) in ids.enumerated() {
                try await service.show(1, of: id, at: index < 2 ? "valby" : "nordhavn")
            }
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                let registered = try await client.execute(
                    uri: "/v1/devices/phone", method: .put, headers: valby, body: ByteBuffer(string: "{}"))
                #expect(registered.status == .ok)
                try await service.reconcile()
                // A delivery that is placed later, and one of the other store that changes.
                try await service.show(2, of: ids[3], at: "nordhavn", phase: .onTheWay)
                try await service.reconcile()
                let stream = try await client.execute(uri: "/v1/devices/phone/stream", method: .get, headers: valby)
                let text = String(buffer: stream.body)
                for (index, id) in ids.enumerated() { #expect(text.contains(id.rawValue) == (index < 2)) }
                #expect(!text.contains("summary-"))
            }
        }
    }

    @Test("A device of all stores is not one store's to use, and one store's not another's")
    func others() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            try await service.show(1, of: delivery, at: "nordhavn")
            try await service.register()
            try await service.register(DeviceID(rawValue: "tablet")!, store: "nordhavn")
            try await service.reconcile()
            let card = try #require(try await service.cards(of: delivery).first)
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                let valby = try await server.headers(.customer, "mira", store: "valby")
                for device in ["phone", "tablet"] {
                    let switchedOff = try await client.execute(
                        uri: "/v1/devices/\(device)", method: .put, headers: valby,
                        body: ByteBuffer(string: #"{"activitiesEnabled":false}"#))
                    #expect(switchedOff.status == .forbidden)
                    let stream = try await client.execute(
                        uri: "/v1/devices/\(device)/stream", method: .get, headers: valby)
                    #expect(stream.status == .notFound)
                    let report = try await client.execute(
                        uri: "/v1/devices/\(device)/reports", method: .post, headers: valby,
                        body: ByteBuffer(string: #"{"reports":[{"card":"\#(card.card)","kind":"dismissed"}]}"#))
                    #expect(report.status == .notFound)
                }
                let stored = try await ActivityRepository.device(DispatchUnderTest.phone, on: service.pool)
                #expect(stored?.device.isEnabled == true)
                #expect(try await service.cards(of: delivery).allSatisfy { $0.state == "active" })
                // The customer's own token of all stores takes the tablet over.
                let mira = try await server.headers(.customer, "mira")
                let widened = try await client.execute(
                    uri: "/v1/devices/tablet", method: .put, headers: mira, body: ByteBuffer(string: "{}"))
                #expect(widened.status == .ok)
            }
        }
    }

    @Test("An operator of one store finds that store's devices alone")
    func search() async throws {
        try await DispatchUnderTest.run { service in
            let server = try await server(service)
            try await service.register(store: "nordhavn")
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                for (store, ids) in [("valby", []), ("nordhavn", ["phone"])] as [(String, [String])] {
                    let found = try await client.execute(
                        uri: "/v1/devices?search=ph", method: .get,
                        headers: try await server.headers(.operator, "ida", store: store))
                    #expect(found.status == .ok)
                    let body = try WireJSON.decode(DevicesBody.self, from: Data(found.body.readableBytesView))
                    #expect(body.devices.map(\.id) == ids)
                }
            }
        }
    }

    @Test("An activity from before intents carried a store gets it from the next intent of the same revision")
    func upgrade() async throws {
        try await DispatchUnderTest.run { service in
            try await service.show(1, of: delivery)
            try await service.register(store: "nordhavn")
            try await service.reconcile()
            #expect(try await service.cards(of: delivery).isEmpty)
            try await service.show(1, of: delivery, at: "nordhavn")
            try await service.reconcile()
            #expect(try await service.cards(of: delivery).map(\.state) == ["active"])
        }
    }
}
