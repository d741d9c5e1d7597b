import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import NIOCore
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Orders

@Suite("Pages of pressed and overtaken links", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct PressedPageTests {
    /// A delivery in picking.
    private struct Picked {
        let orders: OrdersUnderTest
        let client: any TestClientProtocol
        let id: DeliveryID

        func propose(_ substitute: String) async throws {
            let answer = try await orders.send(
                client, .patch, "/v1/deliveries/\(id)/items/milk", as: .store, "nordhavn",
                ItemBody(status: .substituteProposed, substitute: .init(name: substitute)))
            #expect(answer.status == .ok)
        }

        func link(_ verb: String) async throws -> String { try await orders.link(verb, of: id, client) }

        func press(_ link: String) async throws {
            let answer = try await orders.send(client, .post, link, as: .customer, "mette")
            #expect(answer.status == .ok)
        }

        func page(_ link: String) async throws -> String {
            try await String(buffer: orders.page(client, link).body)
        }
    }

    /// The outcome of a press that is no longer in effect, by which an open page keeps its question hidden.
    private static let answered = "<span data-answered hidden></span>"

    private func withDelivery(_ body: @escaping @Sendable (Picked) async throws -> Void) async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.set([.accepted, .picking], id, client)
            try await body(Picked(orders: orders, client: client, id: id))
        }
    }

    @Test("An approval is stated with the pieces that come, until the store asks about another substitute")
    func approved() async throws {
        try await withDelivery { delivery in
            try await delivery.propose("Oat milk")
            let approval = try await delivery.link("approve-substitution")
            let refusal = try await delivery.link("refuse-substitution")
            let asked = try await delivery.page(approval)
            #expect(asked.contains("<bdi>Take 2 × Oat milk instead of Milk?</bdi></h2>"))
            try await delivery.press(approval)
            let pressed = try await delivery.page(approval)
            #expect(pressed.contains("<bdi>2 × Oat milk comes instead of Milk</bdi></h2>"))
            try await delivery.propose("Soy milk")
            let askedAgain = try await delivery.page(approval)
            #expect(!askedAgain.contains("id=\"outcome-title\"") && !askedAgain.contains("id=\"press\""))
            #expect(askedAgain.contains("Take 2 × Soy milk instead of Milk?"))
            let old = try await delivery.page(refusal)
            #expect(old.contains("<bdi>Refuse the substitute and get the item refunded?</bdi></h2>"))
            #expect(old.contains("This question is no longer open."))
        }
    }

    @Test("A cancellation is stated until a supervisor reopens the delivery")
    func cancelled() async throws {
        try await withDelivery { delivery in
            let cancel = try await delivery.link("cancel")
            #expect(try await !delivery.page(cancel).contains(Self.answered))
            try await delivery.press(cancel)
            let pressed = try await delivery.page(cancel)
            #expect(pressed.contains("<bdi>The delivery is cancelled.</bdi></h2>") && !pressed.contains(Self.answered))
            let reopening = DeliveryChange.override(.accepted, reason: "it goes on")
            _ = try await delivery.orders.change(delivery.id, reopening, by: Principal(.operator("ada")))
            let reopened = try await delivery.page(cancel)
            #expect(!reopened.contains("id=\"press\"") && !reopened.contains("The delivery is cancelled."))
            #expect(reopened.contains(Self.answered))
        }
    }

    @Test("The outcome of a press goes from an open page when the delivery has ended, also from one that reconnects")
    func ended() async throws {
        try await withDelivery { delivery in
            let orders = delivery.orders
            let path = try await delivery.link("leave-at-door")
            func open() throws -> PageStream {
                PageStream(
                    token: String(path.dropFirst(3)), proof: { _ in nil }, words: Words(locale: "en"),
                    show: orders.showPage, slot: try #require(orders.pages.open(delivery.id, for: .unproven)))
            }
            func outcomes(_ stream: inout PageStream) async throws -> [String]? {
                try await stream.next()?.filter { $0.event == "press" }.map(\.data)
            }
            var early = try open()
            let asked = try await outcomes(&early)
            #expect(asked == [""])
            try await delivery.press(path)
            let pressed = "<bdi>It will be left at the door.</bdi></h2>"
            let page = try await delivery.page(path)
            let live = try #require(page.components(separatedBy: "<div id=\"live\"").last)
            #expect(live.contains(pressed), "a read replaces it too")

            var stream = try open()
            let first = try await outcomes(&stream)
            #expect(first?.count == 1 && first?.first?.contains(pressed) == true)
            let unchanged = try await outcomes(&stream)
            #expect(unchanged == [])
            try await orders.assign("mira", delivery.id, delivery.client)
            try await orders.set([.pickedUp, .delivered], delivery.id, delivery.client)
            let ended = try await outcomes(&stream)
            #expect(ended?.map { $0.trimmingCharacters(in: .newlines) } == [Self.answered])
            var reconnected = try open()
            let again = try await outcomes(&reconnected)
            #expect(again?.map { $0.trimmingCharacters(in: .newlines) } == [Self.answered])
        }
    }
}
