import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("PINs on couriers' pages", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct CourierPINTests {
    @Test("The page asks for the PIN, counts wrong ones down, and offers the hand-over once it was right")
    func page() async throws {
        try await OrdersUnderTest.run { orders, client in
            var body = try orders.body()
            body.requires = [.pin]
            let id = try await orders.place(client, body).deliveries[0].id
            try await orders.set([.accepted, .picking, .staged], id, client)
            try await orders.assign("mira", id, client)
            let path = try await orders.courierLink(of: "mira", client)
            func html() async throws -> String {
                try await String(buffer: orders.page(client, path).body)
            }
            func enter(_ digits: String, from origin: String = OrdersUnderTest.origin) async throws -> (
                status: HTTPResponse.Status, html: String
            ) {
                let answer = try await orders.post(
                    client, "\(path)/proofs", "delivery=\(id)&pin=\(digits)", origin: origin, accept: "text/html")
                return (answer.status, String(buffer: answer.body))
            }
            let before = try await html()
            #expect(!before.contains(#"name="pin""#), "before the pickup there is nothing to hand over")
            #expect(before.contains(#"content="20; url="#))
            try await orders.set([.pickedUp, .enRoute, .atDoor], id, client)
            let asked = try await html()
            #expect(asked.contains(#"name="pin""#) && !asked.contains(#"value="handed_over""#))
            #expect(asked.contains(#"content="120; url="#), "a PIN that is typed without scripts is not lost at once")
            #expect(asked.contains(#"value="nobody_home""#) && asked.contains(#"value="unproven""#))
            let known: DeliveryBody = try await orders.send(
                client, .get, "/v1/deliveries/\(id)", as: .customer, "mette"
            ).decode()
            let pin = try #require(known.pin)
            #expect(try await enter("41").status == .badRequest)
            #expect(try await enter(pin, from: "https://elsewhere.example").status == .forbidden)
            let wrong = try await enter(pin.hasPrefix("9") ? "0000" : "9999")
            #expect(wrong.status == .unprocessableContent && wrong.html.contains("4 tries are left"))
            // As an Arabic keypad types it.
            let typed = pin.utf8.map { "%D9%\(String(0xA0 + Int($0) - 48, radix: 16))" }.joined()
            #expect(try await enter(typed).status == .seeOther)
            let given = try await html()
            #expect(!given.contains(#"name="pin""#) && given.contains(#"value="handed_over""#))
        }
    }
}
