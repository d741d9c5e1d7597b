import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import Messages
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("What a shop tells its customer", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct CustomerNoticeTests {
    /// An order of a store that says in which currency it counts.
    private static func place(
        _ orders: OrdersUnderTest, _ client: any TestClientProtocol, currency: String = "DKK"
    ) async throws -> DeliveryBody {
        var body = try orders.body(reference: "G-\(currency)")
        body.store = Store(
            id: body.store.id, name: body.store.name, location: body.store.location, timeZone: body.store.timeZone,
            currency: CurrencyCode(rawValue: currency))
        let delivery = try await orders.place(client, body).deliveries[0]
        try await orders.set([.accepted, .picking], delivery.id, client)
        return delivery
    }

    @Test("A refund for an item of which nothing is missing is refused, and is not dropped")
    func nothingMissing() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await Self.place(orders, client)
            func report(_ body: ItemBody) async throws -> TestResponse {
                try await orders.send(
                    client, .patch, "/v1/deliveries/\(delivery.id)/items/milk", as: .store, "nordhavn", body)
            }
            let substitute = ItemBody.SubstituteBody(name: "Oat milk")
            for body in [
                ItemBody(status: .found, refundMinorUnits: 320),
                ItemBody(status: .short, quantity: 2, refundMinorUnits: 320),
                ItemBody(status: .substituted, substitute: substitute, refundMinorUnits: 320),
            ] {
                let refused = try await report(body)
                #expect(refused.status == .badRequest)
                #expect(try refused.problem().errors?.map(\.path) == ["refundMinorUnits"])
            }
            let short: DeliveryBody = try await report(
                ItemBody(status: .found, quantity: 1, refundMinorUnits: 320)
            ).decode()
            #expect(short.items.first { $0.id.rawValue == "milk" }?.refundMinorUnits == 320)
        }
    }

    @Test("An item that was sold out is on the card with its refund, and in the details of the link and its page")
    func soldOut() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await Self.place(orders, client)
            let patched = try await orders.send(
                client, .patch, "/v1/deliveries/\(delivery.id)/items/milk", as: .store, "nordhavn",
                ItemBody(status: .outOfStock, refundMinorUnits: 2500))
            #expect(patched.status == .ok)
            let details = try await orders.link("details", of: delivery.id, client)
            let shown: LinkBody = try await orders.send(client, .get, details, as: nil).decode()
            #expect(shown.content.detail?.text.contains("Milk: sold out") == true)
            #expect(
                shown.details?.map(\.text) == [
                    "Promised", "Will be handed to you", "2 × Milk: sold out, 25.00 kr. refunded",
                ])
            let page = try await orders.page(client, details)
            #expect(String(buffer: page.body).contains("<li><bdi>2 × Milk: sold out, 25.00 kr. refunded</bdi>"))
        }
    }

    @Test("All that is wrong with an item's change is said at once")
    func faultsOfAnItem() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await Self.place(orders, client)
            let refused = try await orders.send(
                client, .patch, "/v1/deliveries/\(delivery.id)/items/milk", as: .store, "nordhavn",
                ItemBody(
                    status: .substituteProposed, quantity: -1,
                    substitute: .init(name: "", quantity: 1000, priceDifferenceMinorUnits: .max), answerSeconds: 5,
                    refundMinorUnits: -1))
            #expect(refused.status == .badRequest)
            #expect(
                try refused.problem().errors?.map(\.path) == [
                    "quantity", "answerSeconds", "refundMinorUnits", "substitute.name", "substitute.quantity",
                    "substitute.priceDifferenceMinorUnits",
                ])
            let missing = try await orders.send(
                client, .patch, "/v1/deliveries/\(delivery.id)/items/milk", as: .store, "nordhavn",
                ItemBody(status: .substituted, quantity: 1000))
            #expect(try missing.problem().errors?.map(\.path) == ["quantity", "substitute"])
        }
    }

    @Test("A question says what the swap costs, in the digits of its currency, on the card and on the link's page")
    func question() async throws {
        try await OrdersUnderTest.run { orders, client in
            for (currency, amount) in [("DKK", "4.50 kr."), ("JPY", "¥450"), ("KWD", "0.450 KWD")] {
                let delivery = try await Self.place(orders, client, currency: currency)
                _ = try await orders.send(
                    client, .patch, "/v1/deliveries/\(delivery.id)/items/milk", as: .store, "nordhavn",
                    ItemBody(
                        status: .substituteProposed,
                        substitute: .init(name: "Oat milk", priceDifferenceMinorUnits: 450)))
                let link = try await orders.link("approve-substitution", of: delivery.id, client)
                let shown: LinkBody = try await orders.send(client, .get, link, as: nil).decode()
                #expect(shown.message == "Take 2 × Oat milk instead of Milk: \(amount) more")
                #expect(shown.content.buttons.first?.title == "Yes, swap it: \(amount) more")
                let page = try await orders.page(client, link)
                #expect(String(buffer: page.body).contains("instead of Milk: \(amount) more"))
                let pressed: LinkBody = try await orders.send(client, .post, link, as: .customer, "mette").decode()
                #expect(pressed.message == "2 × Oat milk comes instead of Milk: \(amount) more")
            }
        }
    }

    @Test("A failed delivery says why, what comes next and what is refunded, and never the operator's own words")
    func failed() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await Self.place(orders, client)
            try await orders.assign("mira", delivery.id, client)
            try await orders.set(.pickedUp, delivery.id, client)
            let path = "/v1/deliveries/\(delivery.id)/status"
            let failed = try await orders.send(
                client, .post, path, as: .store, "nordhavn",
                StatusBody(status: .failed, reason: "the dog again", customerReason: .noAccess, nextStep: .orderAgain))
            #expect(failed.status == .ok, "\(String(buffer: failed.body))")
            let details = try await orders.link("details", of: delivery.id, client)
            let before: LinkBody = try await orders.send(client, .get, details, as: nil).decode()
            #expect(before.content.detail?.text == "The courier could not get in · Please order again")
            let later = try await orders.send(
                client, .post, path, as: .store, "nordhavn", StatusBody(status: .failed, refundMinorUnits: 12_000))
            #expect(later.status == .ok)
            let answer = try await orders.send(client, .get, details, as: nil)
            #expect(!String(buffer: answer.body).contains("dog again"))
            let after: LinkBody = try answer.decode()
            #expect(
                after.content.detail?.text
                    == "The courier could not get in · Please order again · 120.00 kr. refunded")
            #expect(
                after.details?.map(\.text).suffix(3)
                    == ["The courier could not get in", "Please order again", "120.00 kr. refunded"])
            let timeline: TimelineBody = try await orders.send(
                client, .get, "/v1/deliveries/\(delivery.id)/timeline", as: .operator, "ada"
            ).decode()
            #expect(timeline.entries.last?.what.hasSuffix("refund 120.00 DKK") == true)
        }
    }

    @Test("A customer who cancels reads that it was they who asked")
    func cancelled() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await Self.place(orders, client)
            let link = try await orders.link("cancel", of: delivery.id, client)
            let pressed: LinkBody = try await orders.send(client, .post, link, as: .customer, "mette").decode()
            #expect(pressed.content.detail?.text == "As you asked · Nothing will be delivered")
        }
    }

    @Test("A courier says why, and not what is refunded or comes next")
    func courier() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await Self.place(orders, client)
            try await orders.assign("mira", delivery.id, client)
            try await orders.set([.pickedUp, .atDoor], delivery.id, client)
            let path = "/v1/deliveries/\(delivery.id)/status"
            for body in [
                StatusBody(status: .attempted, nextStep: .redelivery),
                StatusBody(status: .attempted, refundMinorUnits: 1),
            ] {
                let refused = try await orders.send(client, .post, path, as: .courier, "mira", body)
                #expect(refused.status == .forbidden)
                #expect(try refused.problem().type.hasSuffix("not-yours-to-promise"))
            }
            let taken = try await orders.send(
                client, .post, path, as: .courier, "mira", StatusBody(status: .attempted, customerReason: .nobodyHome))
            #expect(taken.status == .ok)
        }
    }

    @Test("A reason where nothing went wrong, a refund out of range and an unknown currency are refused")
    func refused() async throws {
        try await OrdersUnderTest.run { orders, client in
            let delivery = try await Self.place(orders, client)
            let path = "/v1/deliveries/\(delivery.id)"
            let staged = try await orders.send(
                client, .post, "\(path)/status", as: .store, "nordhavn",
                StatusBody(status: .staged, customerReason: .weather))
            #expect(try staged.problem().type.hasSuffix("nothing-to-explain"))
            for minorUnits in [-1, CustomerNotice.refundMinorUnitsMax + 1] {
                let refund = try await orders.send(
                    client, .patch, "\(path)/items/milk", as: .store, "nordhavn",
                    ItemBody(status: .outOfStock, refundMinorUnits: minorUnits))
                #expect(refund.status == .badRequest)
            }
            let price = try await orders.send(
                client, .patch, "\(path)/items/milk", as: .store, "nordhavn",
                ItemBody(
                    status: .substituteProposed, substitute: .init(name: "Oat milk", priceDifferenceMinorUnits: .min)))
            #expect(price.status == .badRequest)
            var body = try orders.body()
            body.store = Store(
                id: body.store.id, name: body.store.name, location: body.store.location,
                timeZone: body.store.timeZone, currency: CurrencyCode(rawValue: "XTS"))
            let placed = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", body, ["Idempotency-Key": "k"])
            #expect(placed.status == .badRequest)
            #expect(try placed.problem().errors?.map(\.path) == ["store.currency"])
        }
    }
}
