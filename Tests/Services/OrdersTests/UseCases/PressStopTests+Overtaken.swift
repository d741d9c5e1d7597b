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

/// Changes by others that meet a press in its ten seconds.
extension PressStopTests {
    /// A report of a provider that has, or had, the round's delivery.
    func report(
        _ status: StatusCode, by courier: Courier? = nil, successor: String? = nil, of round: Round
    ) async throws {
        let now = round.orders.clock.now
        let report = ProviderReport(
            source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: status.rawValue, kind: "event",
            status: status, courier: courier, occurredAt: now, receivedAt: now,
            successor: successor.flatMap(ProviderID.init(rawValue:)))
        _ = try await round.orders.change([.report(report, of: round.id)])[0].get()
    }

    @Test("A cancel that is repeated while the goods come back leaves the press about them waiting")
    func repeatedCancel() async throws {
        try await withRound { round in
            try await round.press(.pickedUp, held: 10)
            try await round.orders.set(.cancelled, round.id, round.client)
            let press = try await round.press(.broughtBack)
            for code in [StatusCode.cancelled, .returning] {
                try await round.orders.set(code, round.id, round.client)
                #expect(try await round.state(of: press) == .waiting)
                #expect(try await round.delivery().status == .handedOver(.returning))
            }
            try await round.pass(10)
            #expect(try await round.delivery().status == .handedOver(.returned))
        }
    }

    @Test(
        "The end of a former provider's part leaves a press of the shop's own courier waiting",
        arguments: [StatusCode.cancelled, .unassigned], [nil, "doordash"] as [String?])
    func withdrawn(code: StatusCode, successor: String?) async throws {
        try await withRound { round in
            let press = try await round.press(.pickedUp)
            try await report(code, successor: successor, of: round)
            #expect(try await round.state(of: press) == .waiting)
            try await round.press.undo(press.id, by: round.mira)
            try await round.pass(10)
            #expect(try await round.delivery().status == .preparing(.staged, .assigned))
        }
    }

    @Test("A cancel within a pickup's ten seconds has the pickup count first, so that the bag comes back")
    func cancelled() async throws {
        try await withRound { round in
            let press = try await round.press(.pickedUp)
            try await round.orders.set(.cancelled, round.id, round.client)
            #expect(try await round.state(of: press) == .done)
            #expect(try await round.delivery().status == .handedOver(.returning))
            #expect(try await round.orders.timers().allSatisfy { $0 != DeliveryTimers.courierPress })
            await #expect(throws: PressStop.Refusal.tooLate) { try await round.press.undo(press.id, by: round.mira) }
            try await round.pass(10)
            #expect(try await round.timeline().count { $0.by == "courier mira" } == 1)
        }
    }

    @Test("The customer's cancel too has a waiting pickup count first")
    func cancelledByCustomer() async throws {
        try await withRound { round in
            let link = try await round.orders.link("cancel", of: round.id, round.client)
            let press = try await round.press(.pickedUp)
            let answer = try await round.orders.send(round.client, .post, link, as: .customer, "mette")
            #expect(answer.status == .ok, "\(String(buffer: answer.body))")
            #expect(try await round.state(of: press) == .done)
            #expect(try await round.delivery().status == .handedOver(.returning))
        }
    }

    @Test("An operator's cancel names the version before the press, and its preview shows the way back")
    func cancelledByOperator() async throws {
        try await withRound { round in
            let version = try await round.delivery().version
            let press = try await round.press(.pickedUp)
            func cancel(_ version: Int, _ query: String = "") async throws -> TestResponse {
                try await round.orders.send(
                    round.client, .post, "/v1/deliveries/\(round.id)/status" + query, as: .operator, "ada",
                    StatusBody(status: .cancelled, reason: "the customer called"), ["If-Match": "\"v\(version)\""])
            }
            #expect(try await cancel(version + 1).status != .ok)
            let preview = try await cancel(version, "?preview=true")
            #expect(preview.status == .ok && String(buffer: preview.body).contains("\"returning\""))
            #expect(try await round.state(of: press) == .waiting, "neither changes anything")
            #expect(try await cancel(version).status == .ok)
            #expect(try await round.state(of: press) == .done)
            let delivery = try await round.delivery()
            #expect(delivery.status == .handedOver(.returning) && delivery.version == version + 2)
        }
    }

    @Test("Another courier within a pickup's ten seconds fetches the goods from the one who has them")
    func reassigned() async throws {
        try await withRound { round in
            let press = try await round.press(.pickedUp)
            try await round.orders.assign("mira", round.id, round.client)
            #expect(try await round.state(of: press) == .waiting, "it is no other courier")
            try await round.orders.assign("jonas", round.id, round.client)
            #expect(try await round.state(of: press) == .done)
            let delivery = try await round.delivery()
            #expect(delivery.status == .handedOver(.pickedUp) && delivery.fetchedFrom?.id == round.mira)
        }
    }

    @Test("A provider's report of another courier has a waiting pickup count first, and one of the present courier not")
    func reported() async throws {
        try await withRound { round in
            let press = try await round.press(.pickedUp)
            try await report(.toStore, by: try await round.delivery().courier, of: round)
            #expect(try await round.state(of: press) == .waiting)
            let jonas = Courier(
                id: try #require(CourierID(rawValue: "jonas")), name: "Jonas", vehicle: .bicycle, phone: nil)
            try await report(.atStore, by: jonas, of: round)
            #expect(try await round.state(of: press) == .done)
            let delivery = try await round.delivery()
            #expect(delivery.status == .handedOver(.pickedUp) && delivery.courier?.id == jonas.id)
        }
    }

    @Test("Another courier within a hand-over's ten seconds is refused, and the hand-over counts")
    func handedOver() async throws {
        try await withRound { round in
            try await round.orders.set([.pickedUp, .enRoute], round.id, round.client)
            let press = try await round.press(.handedOver)
            let jonas = CourierBody(
                id: try #require(CourierID(rawValue: "jonas")), name: "Jonas", vehicle: .bicycle, phone: "+4512345678")
            let refused = try await round.orders.send(
                round.client, .put, "/v1/deliveries/\(round.id)/courier", as: .store, "nordhavn",
                AssignBody(courier: .described(jonas)))
            #expect(refused.status == .conflict)
            #expect(try await round.state(of: press) == .waiting, "a refused change leaves the press undoable")
            try await round.pass(10)
            #expect(try await round.delivery().status == .handedOver(.delivered))
        }
    }

    @Test("A hold within a pickup's ten seconds has the pickup count first, so that the bag in the car is picked up")
    func putOnHold() async throws {
        try await withRound { round in
            func hold(_ reason: String, _ query: String = "") async throws -> TestResponse {
                try await round.orders.send(
                    round.client, .put, "/v1/deliveries/\(round.id)/hold" + query, as: .operator, "ada",
                    HoldBody(reason: reason))
            }
            let press = try await round.press(.pickedUp)
            let preview = try await hold("payment is checked", "?preview=true")
            #expect(preview.status == .ok && String(buffer: preview.body).contains("\"picked_up\""))
            #expect(try await round.state(of: press) == .waiting, "a preview changes nothing")
            #expect(try await hold("payment is checked").status == .ok)
            #expect(try await round.state(of: press) == .done)
            let held = try await round.delivery()
            #expect(held.status == .handedOver(.pickedUp) && held.flags.contains(.onHold))
            let released = try await round.orders.send(
                round.client, .delete, "/v1/deliveries/\(round.id)/hold", as: .operator, "ada")
            #expect(released.status == .ok)
            let handOver = try await round.press(.handedOver)
            #expect(try await hold("payment is checked").status == .conflict)
            #expect(try await round.state(of: handOver) == .waiting, "no ended delivery is held")
            try await round.pass(10)
            #expect(try await round.delivery().status == .handedOver(.delivered))
        }
    }

    @Test("No item is added to a bag whose pickup is in its ten seconds")
    func itemAdded() async throws {
        try await withRound { round in
            func add(_ id: String) async throws -> TestResponse {
                let line = PlaceOrderBody.Line(id: try #require(ItemID(rawValue: id)), name: "Oats")
                return try await round.orders.send(
                    round.client, .post, "/v1/deliveries/\(round.id)/items", as: .store, "nordhavn",
                    AddItemsBody(items: [line]))
            }
            let again = DeliveryChange.override(.picking, reason: "an item is missing")
            _ = try await round.orders.change(round.id, again, by: Principal(.operator("ada")))
            let arrival = try await round.press(.atStore)
            #expect(try await add("oats").status == .ok)
            #expect(try await round.state(of: arrival) == .waiting, "the courier is at the store all the same")
            let pickup = try await round.press(.pickedUp)
            let before = try await round.delivery()
            #expect(try await add("barley").status == .conflict)
            #expect(try await round.state(of: pickup) == .waiting)
            #expect(try await round.delivery() == before)
            try await round.pass(10)
            let delivery = try await round.delivery()
            #expect(delivery.status == .handedOver(.pickedUp) && delivery.items.count == before.items.count)
        }
    }

    private struct StalePress: Decodable { let card: LinkBody }

    /// Asks the customer about a substitute for the round's milk.
    ///
    /// - Returns: the path of the link that takes it.
    private func substituteProposed(in round: Round) async throws -> String {
        let asked = try await round.orders.send(
            round.client, .patch, "/v1/deliveries/\(round.id)/items/milk", as: .store, "nordhavn",
            ItemBody(status: .substituteProposed, substitute: .init(name: "Oat milk")))
        #expect(asked.status == .ok, "\(String(buffer: asked.body))")
        return try await round.orders.link("approve-substitution", of: round.id, round.client)
    }

    @Test("A substitute that the customer takes within a pickup's ten seconds is refused: the bag left without it")
    func substituteTaken() async throws {
        try await withRound { round in
            let link = try await substituteProposed(in: round)
            let press = try await round.press(.pickedUp)
            let before = try await round.delivery()
            let answer = try await round.orders.send(round.client, .post, link, as: .customer, "mette")
            #expect(answer.status == .conflict)
            let card = try answer.decode(StalePress.self).card
            #expect(!card.isPressable && card.why != nil)
            #expect(try await round.state(of: press) == .waiting)
            #expect(try await round.delivery() == before)
            try await round.pass(10)
            let delivery = try await round.delivery()
            #expect(delivery.status == .handedOver(.pickedUp) && delivery.items[0].status == .refunded)
        }
    }

    @Test("A substitute that the customer takes after the pickup was undone is packed")
    func substituteTakenAfterUndo() async throws {
        try await withRound { round in
            let link = try await substituteProposed(in: round)
            try await round.press.undo(try await round.press(.pickedUp).id, by: round.mira)
            let answer = try await round.orders.send(round.client, .post, link, as: .customer, "mette")
            #expect(answer.status == .ok)
            try await round.pass(10)
            let delivery = try await round.delivery()
            #expect(delivery.status == .preparing(.staged, .assigned) && delivery.items[0].status == .substituted)
        }
    }

    @Test("A press at the door counts before a correction to another door, and waits through any other correction")
    func corrected() async throws {
        try await withRound { round in
            func correct(_ body: DropOffBody) async throws -> TestResponse {
                try await round.orders.send(
                    round.client, .patch, "/v1/deliveries/\(round.id)/drop-off", as: .store, "nordhavn", body)
            }
            try await round.orders.set([.pickedUp, .enRoute], round.id, round.client)
            let former = try await round.delivery().door
            let far = Coordinate(clampingLatitude: 55.6761, longitude: 12.5683)
            let arrival = try await round.press(.atDoor)
            #expect(try await correct(DropOffBody(note: .text("by the lift"))).status == .ok)
            #expect(try await round.state(of: arrival) == .waiting)
            #expect(try await correct(DropOffBody(door: far)).status == .ok)
            #expect(try await round.state(of: arrival) == .done)
            #expect(try await round.delivery().status == .handedOver(.enRoute))
            let handOver = try await round.press(.handedOver)
            #expect(try await correct(DropOffBody(door: former)).status == .conflict)
            #expect(try await round.state(of: handOver) == .waiting)
            #expect(try await round.delivery().door == far)
            try await round.pass(10)
            #expect(try await round.delivery().status == .handedOver(.delivered))
        }
    }

    @Test("A failed attempt that is reported within a hand-over's ten seconds has the hand-over count first")
    func attempted() async throws {
        try await withRound { round in
            try await round.orders.set([.pickedUp, .enRoute], round.id, round.client)
            let press = try await round.press(.handedOver)
            let refused = try await round.orders.send(
                round.client, .post, "/v1/deliveries/\(round.id)/status", as: .store, "nordhavn",
                StatusBody(status: .attempted))
            #expect(refused.status == .unprocessableContent)
            #expect(try await round.state(of: press) == .waiting)
            try await report(.attempted, of: round)
            #expect(try await round.state(of: press) == .done)
            #expect(try await round.delivery().status == .handedOver(.delivered))
        }
    }

    @Test("Nobody home after a report of the attempt confirms it, so that the question at the door ends")
    func confirmedAttempt() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await GiveProofTests.atDoor(requiring: [.pin], orders, client)
            let round = Round(
                orders: orders, client: client, id: id, mira: try #require(CourierID(rawValue: "mira")),
                press: PressStop(change: orders.change))
            try await round.press(.unproven, held: 10)
            try await report(.attempted, of: round)
            #expect(try await round.delivery().proof?.undecidedSince != nil)
            for _ in 0..<2 { #expect(try await round.press(.nobodyHome).state == .done) }
            let delivery = try await round.delivery()
            #expect(delivery.status == .handedOver(.attempted) && delivery.customerReason == .nobodyHome)
            #expect(delivery.proof?.undecidedSince == nil)
            #expect(try await round.timeline().count { $0.by == "courier mira" } == 2, "a repeat changes nothing")
        }
    }

    @Test("A courier's mistake is disputed before the customer's problem, and waits where all is right")
    func mistakenAndMissing() async throws {
        try await withRound { round in
            for action in [CourierAction.pickedUp, .atDoor] { try await round.press(action, held: 10) }
            func give(_ kind: DeliveryFeedback.Kind) async throws -> TestResponse {
                try await round.orders.send(
                    round.client, .put, "/v1/deliveries/\(round.id)/feedback", as: .customer, "mette",
                    GiveFeedbackBody(kind: kind))
            }
            let handOver = try await round.press(.handedOver)
            #expect(try await give(.missing).status == .conflict)
            #expect(try await round.state(of: handOver) == .waiting, "the courier may undo it yet")
            try await round.pass(10)
            let press = try await round.press(.mistaken)
            #expect(try await give(.allRight).status == .ok)
            #expect(try await round.state(of: press) == .waiting)
            #expect(try await give(.missing).status == .ok)
            #expect(try await round.state(of: press) == .done)
            let delivery = try await round.delivery()
            #expect(delivery.feedback?.kind == .missing && delivery.reason?.hasPrefix("courier: ") == true)
        }
    }

    @Test("A press of a pickup that comes late counts once the goods are further on, and changes nothing")
    func late() async throws {
        try await withRound { round in
            let waiting = try await round.press(.pickedUp)
            try await round.orders.set([.pickedUp, .enRoute], round.id, round.client)
            let version = try await round.delivery().version
            try await round.pass(10)
            #expect(try await round.state(of: waiting) == .done)
            for action in [CourierAction.atStore, .pickedUp] {
                #expect(try await round.press(action).state == .done)
            }
            #expect(try await round.delivery().version == version)
            #expect(try await round.timeline().allSatisfy { $0.by != "courier mira" })
        }
    }
}
