import DomainTime
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

@Suite("Customers' feedback", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct FeedbackTests {
    private struct Delivered {
        let orders: OrdersUnderTest
        let client: any TestClientProtocol
        let id: DeliveryID
        let milk: ItemID

        var path: String { "/v1/deliveries/\(id)" }

        func give(
            _ kind: DeliveryFeedback.Kind, _ items: [ItemID]? = nil, as role: Role = .customer,
            _ subject: String = "mette"
        ) async throws -> TestResponse {
            try await orders.send(
                client, .put, "\(path)/feedback", as: role, subject, GiveFeedbackBody(kind: kind, items: items))
        }

        func read(as role: Role, _ subject: String) async throws -> DeliveryBody {
            try await orders.send(client, .get, path, as: role, subject).decode()
        }

        func timeline(as role: Role, _ subject: String) async throws -> [TimelineBody.Entry] {
            let body: TimelineBody = try await orders.send(client, .get, "\(path)/timeline", as: role, subject).decode()
            return body.entries
        }

        func board(as role: Role, _ subject: String) async throws -> BoardBody {
            try await orders.send(client, .get, "/v1/deliveries", as: role, subject).decode()
        }

        /// Decides about it as an operator.
        func decide(_ reason: String?) async throws -> TestResponse {
            try await orders.send(
                client, .post, "\(path)/status", as: .operator, "ada", StatusBody(status: .delivered, reason: reason),
                ["If-Match": "*"])
        }
    }

    /// A delivery of mette's that jonas has just delivered.
    private func withDelivered(_ body: @escaping @Sendable (Delivered) async throws -> Void) async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.assign("jonas", id, client)
            let codes = [StatusCode.accepted, .picking, .pickedUp, .delivered]
            for code in codes { try await orders.set(code, id, client) }
            try await body(
                Delivered(orders: orders, client: client, id: id, milk: try #require(ItemID(rawValue: "milk"))))
        }
    }

    @Test("A problem is under what needs an operator, with its items, until one settles it with a reason")
    func problem() async throws {
        try await withDelivered { delivered in
            let given: DeliveryBody = try await delivered.give(.missing, [delivered.milk]).decode()
            #expect(given.feedback?.kind == .missing && given.feedback?.items?.map(\.name) == ["Milk"])
            #expect(given.disputedAt == nil && given.reason == nil, "what operators read is not the customer's")

            let row = try #require(try await delivered.board(as: .operator, "ada").deliveries.first)
            #expect(row.id == delivered.id && row.need == .disputed && row.feedback?.text == "missing: Milk")
            #expect(try await delivered.board(as: .customer, "mette").deliveries.isEmpty)

            #expect(try await delivered.decide(nil).status == .unprocessableContent)
            let decided: DeliveryBody = try await delivered.decide("refunded the milk").decode()
            #expect(decided.feedback?.settledAt != nil && decided.disputedAt == nil)
            #expect(decided.reason == "refunded the milk" && decided.status == .delivered)
            #expect(try await delivered.board(as: .operator, "ada").deliveries.isEmpty)

            let late = try await delivered.give(.allRight)
            #expect(try late.status == .conflict && late.problem().type.hasSuffix("/too-late"))
            let entries = try await delivered.timeline(as: .operator, "ada").suffix(2)
            #expect(entries.map(\.kind) == ["feedback", "status"])
            #expect(entries.first?.what == "missing: Milk" && entries.first?.by == "customer mette")
            #expect(entries.last?.reason == "refunded the milk")
        }
    }

    @Test("A repeat changes nothing, another answer replaces the first, and each change is a snapshot with its cause")
    func repeated() async throws {
        try await withDelivered { delivered in
            let first: DeliveryBody = try await delivered.give(.notHere).decode()
            let again: DeliveryBody = try await delivered.give(.notHere).decode()
            #expect(again.version == first.version)
            let right: DeliveryBody = try await delivered.give(.allRight).decode()
            #expect(right.version == first.version + 1 && right.feedback?.kind == .allRight)
            #expect(try await delivered.board(as: .operator, "ada").deliveries.isEmpty)
            let snapshots = try await delivered.orders.snapshots(of: delivered.id).suffix(2)
            #expect(snapshots.map(\.message.cause) == ["feedback", "feedback"])
            #expect(snapshots.map(\.message.delivery.feedback?.kind) == [.notHere, .allRight])
            let metrics = delivered.orders.metrics.exposition()
            for kind in ["not_here", "all_right"] {
                #expect(metrics.contains("doorstep_deliveries_feedback_total{kind=\"\(kind)\"} 1"))
            }
        }
    }

    @Test("The store may give it for its customer; couriers read none of it, and give none")
    func readers() async throws {
        try await withDelivered { delivered in
            let byCourier = try await delivered.give(.damaged, as: .courier, "jonas")
            #expect(byCourier.status == .notFound)
            #expect(try await delivered.give(.damaged, as: .operator, "ada").status == .notFound)
            #expect(try await delivered.give(.damaged, as: .customer, "ole").status == .notFound)
            #expect(try await delivered.give(.damaged, as: .store, "nordhavn").status == .ok)
            #expect(try await delivered.read(as: .courier, "jonas").feedback == nil)
            #expect(try await delivered.read(as: .customer, "mette").feedback?.kind == .damaged)
            #expect(try await delivered.read(as: .store, "nordhavn").feedback?.kind == .damaged)
            #expect(try await delivered.timeline(as: .courier, "jonas").allSatisfy { $0.kind != "feedback" })
            #expect(try await delivered.timeline(as: .customer, "mette").contains { $0.kind == "feedback" })
        }
    }

    @Test("A store reports no problem of its customer as gone; the customer does")
    func storesAllRight() async throws {
        try await withDelivered { delivered in
            #expect(try await delivered.give(.allRight, as: .store, "nordhavn").status == .ok)
            #expect(try await delivered.give(.missing).status == .ok)
            let refused = try await delivered.give(.allRight, as: .store, "nordhavn")
            #expect(try refused.status == .conflict && refused.problem().type.hasSuffix("/too-late"))
            #expect(try await delivered.read(as: .customer, "mette").feedback?.kind == .missing)
            #expect(try await delivered.give(.damaged, as: .store, "nordhavn").status == .ok)
            #expect(try await delivered.give(.allRight).status == .ok)
        }
    }

    @Test("What cannot be is refused: unknown items, items of nothing, an undelivered delivery, and after twelve hours")
    func refusals() async throws {
        try await withDelivered { delivered in
            let bread = try #require(ItemID(rawValue: "bread"))
            #expect(try await delivered.give(.missing, [bread]).status == .notFound)
            let pointless = try await delivered.give(.allRight, [delivered.milk])
            #expect(try pointless.status == .badRequest && pointless.problem().errors?.map(\.path) == ["items"])
            let live = try await delivered.orders.place(
                delivered.client, try delivered.orders.body(reference: "G-1043")
            ).deliveries[0].id
            let early = try await delivered.orders.send(
                delivered.client, .put, "/v1/deliveries/\(live)/feedback", as: .customer, "mette",
                GiveFeedbackBody(kind: .allRight))
            #expect(try early.status == .conflict && early.problem().type.hasSuffix("/not-delivered"))
            delivered.orders.clock.advance(by: DeliveryFeedback.windowSeconds + 1)
            #expect(try await delivered.give(.missing).status == .conflict)
        }
    }

    @Test("The day in numbers counts it by store, and by no courier")
    func day() async throws {
        try await withDelivered { delivered in
            _ = try await delivered.give(.missing)
            let report: DayReportBody = try await delivered.orders.send(
                delivered.client, .get, "/v1/report", as: .operator, "ada"
            ).decode()
            #expect(report.figures.feedback == DayReportBody.Feedback([.missing: 1]))
            #expect(report.stores.map(\.figures.feedback?.problems) == [1])
            #expect(report.couriers.count == 1 && report.couriers.allSatisfy { $0.figures.feedback == nil })
        }
    }
}
