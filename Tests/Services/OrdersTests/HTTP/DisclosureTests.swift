import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("What readers learn of a delivery", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct DisclosureTests {
    private static let readers: [(Role, String)] = [
        (.customer, "mette"), (.courier, "mira"), (.store, "nordhavn"), (.operator, "ada"),
    ]

    @Test("A hold's reason is in no answer to the customer and the courier, and is in those to the store and operators")
    func reasons() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await orders.place(client, try orders.body())
            let id = order.deliveries[0].id
            try await orders.assign("mira", id, client)
            _ = try await orders.send(
                client, .put, "/v1/deliveries/\(id)/hold", as: .operator, "ada", HoldBody(reason: "is it fraud?"))
            for (role, subject) in Self.readers {
                for path in ["/v1/deliveries/\(id)", "/v1/deliveries/\(id)/timeline", "/v1/orders/\(order.id)"]
                where role != .courier || !path.hasPrefix("/v1/orders") {
                    let answer = try await orders.send(client, .get, path, as: role, subject)
                    #expect(answer.status == .ok)
                    let isReadable = String(buffer: answer.body).contains("fraud")
                    #expect(isReadable == (role == .store || role == .operator), "\(role) at \(path)")
                }
            }
        }
    }

    @Test("The timeline has the reason for a change of an item and of stops, for the store and operators alone")
    func reasonsOfItemsAndStops() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await orders.place(client, try orders.body())
            let path = "/v1/deliveries/\(order.deliveries[0].id)"
            try await orders.assign("mira", order.deliveries[0].id, client)
            func item(_ reason: String) -> ItemBody { ItemBody(status: .outOfStock, reason: reason) }
            func trip(_ reason: String) -> TripBody { TripBody(stopsBefore: 2, reason: reason) }
            let long = String(repeating: "a", count: 201)
            let refused = [
                try await orders.send(client, .patch, "\(path)/items/milk", as: .operator, "ada", item(long)),
                try await orders.send(client, .put, "\(path)/trip", as: .operator, "ada", trip("")),
            ]
            for answer in refused {
                #expect(answer.status == .badRequest)
                #expect(try answer.problem().errors?.map(\.path) == ["reason"])
            }
            let made = [
                try await orders.send(client, .patch, "\(path)/items/milk", as: .operator, "ada", item(" spilt ")),
                try await orders.send(client, .put, "\(path)/trip", as: .operator, "ada", trip("road works")),
            ]
            #expect(made.map(\.status) == [.ok, .ok])
            for (role, subject) in Self.readers where role != .courier {
                let timeline: TimelineBody =
                    try await orders.send(client, .get, "\(path)/timeline", as: role, subject).decode()
                let isReader = role == .store || role == .operator
                #expect(timeline.entries.compactMap(\.reason) == (isReader ? ["spilt", "road works"] : []), "\(role)")
            }
        }
    }

    @Test("A customer reads who brings the delivery from pickup on, in the delivery, the list, the timeline and links")
    func courier() async throws {
        try await OrdersUnderTest.run { orders, client in
            let order = try await orders.place(client, try orders.body())
            let id = order.deliveries[0].id
            try await orders.assign("jonas", id, client)
            try await orders.assign("mira", id, client)
            let link = try await orders.link("leave-at-door", of: id, client)
            let pressed: LinkBody = try await orders.send(client, .post, link, as: .customer, "mette").decode()
            #expect(pressed.message == "Asked the courier to leave it at the door")
            func paths(naming name: String) async throws -> [String] {
                var paths: [String] = []
                for path in [
                    "/v1/orders/\(order.id)", "/v1/deliveries/\(id)", "/v1/deliveries", "/v1/deliveries/\(id)/timeline",
                ] {
                    let answer = try await orders.send(client, .get, path, as: .customer, "mette")
                    if String(buffer: answer.body).lowercased().contains(name) { paths.append(path) }
                }
                return paths
            }
            #expect(try await paths(naming: "mira") == [])
            try await orders.set([.accepted, .picking], id, client)
            let pickup = try await orders.send(
                client, .post, "/v1/deliveries/\(id)/status", as: .courier, "mira", StatusBody(status: .pickedUp))
            #expect(pickup.status == .ok)
            #expect(
                try await paths(naming: "mira") == ["/v1/orders/\(order.id)", "/v1/deliveries/\(id)", "/v1/deliveries"])
            #expect(try await paths(naming: "jonas") == [])
        }
    }

    @Test("A courier reads the customer and the door until the delivery has ended")
    func door() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.assign("mira", id, client)
            let link = try await orders.link("leave-at-door", of: id, client)
            let press = try await orders.send(client, .post, link, as: .customer, "mette")
            #expect(press.status == .ok)
            try await orders.set([.accepted, .picking, .pickedUp], id, client)
            func read(as role: Role, _ subject: String) async throws -> DeliveryBody {
                try await orders.send(client, .get, "/v1/deliveries/\(id)", as: role, subject).decode()
            }
            let onTheWay = try await read(as: .courier, "mira")
            #expect(onTheWay.door != nil && onTheWay.customer?.rawValue == "mette")
            let end = try await orders.send(
                client, .post, "/v1/deliveries/\(id)/status", as: .courier, "mira", StatusBody(status: .delivered))
            let answered: DeliveryBody = try end.decode()
            #expect(answered.status == .delivered && answered.door == nil && answered.customer == nil)
            let board: BoardBody =
                try await orders.send(client, .get, "/v1/deliveries?status=delivered", as: .courier, "mira").decode()
            #expect(board.deliveries.map(\.id) == [id] && board.deliveries[0].customer == nil)
            let timeline: TimelineBody =
                try await orders.send(client, .get, "/v1/deliveries/\(id)/timeline", as: .courier, "mira").decode()
            let authors = Set(timeline.entries.map(\.by))
            #expect(authors.isSuperset(of: ["store", "customer", "courier mira"]))
            #expect(!authors.contains { $0.contains("mette") })
            #expect(try await read(as: .store, "nordhavn").door != nil)
            #expect(try await read(as: .customer, "mette").door != nil)
        }
    }
}
