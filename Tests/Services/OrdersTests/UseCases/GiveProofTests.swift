import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite("Proofs that orders are given", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct GiveProofTests {
    static let mira = Principal(.courier(CourierID(rawValue: "mira").unsafelyUnwrapped))

    /// The further members of a problem about proofs.
    private struct ProofProblem: Decodable {
        let type: String
        let missing: [ProofKind]?
        let triesLeft: Int?

        private enum CodingKeys: String, CodingKey {
            case type, missing
            case triesLeft = "tries_left"
        }
    }

    /// A delivery at its door, brought by mira.
    static func atDoor(
        requiring proofs: [ProofKind]?, reference: String = "G-1042", _ orders: OrdersUnderTest,
        _ client: any TestClientProtocol
    ) async throws -> DeliveryID {
        var body = try orders.body(reference: reference)
        body.requires = proofs
        let id = try await orders.place(client, body).deliveries[0].id
        try await orders.set([.accepted, .picking, .staged], id, client)
        try await orders.assign("mira", id, client)
        try await orders.set([.pickedUp, .enRoute, .atDoor], id, client)
        return id
    }

    static func pin(of id: DeliveryID, _ orders: OrdersUnderTest) async throws -> CustomerPIN {
        let record = try #require(try await OrderRepository.delivery(id, on: orders.pool))
        let sealed = try #require(record.pin)
        return try #require(try OrdersUnderTest.pins.open(sealed, of: id).flatMap(CustomerPIN.init))
    }

    /// Another PIN than this one.
    static func wrong(_ pin: CustomerPIN) throws -> CustomerPIN {
        try #require(CustomerPIN(pin.digits.hasPrefix("9") ? "0000" : "9" + pin.digits.dropFirst()))
    }

    private static func problem(_ response: TestResponse) throws -> ProofProblem {
        let problem: ProofProblem = try response.decode()
        return problem
    }

    @Test("A hand-over is refused by the name of what is missing, and accepted once it was given")
    func gate() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.pin, .age], orders, client)
            let path = "/v1/deliveries/\(id)"
            func deliver() async throws -> TestResponse {
                try await orders.send(
                    client, .post, "\(path)/status", as: .store, "nordhavn", StatusBody(status: .delivered))
            }
            func give(_ body: GiveProofBody) async throws -> TestResponse {
                try await orders.send(client, .post, "\(path)/proofs", as: .courier, "mira", body)
            }
            let refused = try await deliver()
            #expect(refused.status == .conflict)
            #expect(try Self.problem(refused).type.hasSuffix("/proof-missing"))
            #expect(try Self.problem(refused).missing == [.age, .pin])
            let pin = try await Self.pin(of: id, orders)
            let wrong = try await give(GiveProofBody(pin: try Self.wrong(pin).digits))
            #expect(wrong.status == .unprocessableContent)
            #expect(try Self.problem(wrong).type.hasSuffix("/wrong-pin"))
            #expect(try Self.problem(wrong).triesLeft == 4)
            #expect(try await give(GiveProofBody(pin: pin.digits)).status == .ok)
            #expect(try Self.problem(try await deliver()).missing == [.age])
            #expect(try await give(GiveProofBody(age: .passed)).status == .ok)
            #expect(try await give(GiveProofBody(pin: "0417", age: .passed)).status == .badRequest)
            #expect(try await give(GiveProofBody(pin: "417")).status == .badRequest)
            #expect(try await give(GiveProofBody(pin: "0417", entry: "mine")).status == .badRequest)
            #expect(try await deliver().status == .ok)
            let timeline = try await OrderRepository.timeline(id, on: orders.pool)
            let proofs = timeline.filter { $0.kind == TimelineEntry.proofKind }
            #expect(proofs.map(\.summary) == ["a wrong PIN, 4 tries left", "the PIN was right", "age check passed"])
            #expect(proofs.allSatisfy { $0.by == "courier mira" })
        }
    }

    @Test("After five wrong PINs the board asks for a person, who decides with a reason")
    func decided() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.pin], orders, client)
            let path = "/v1/deliveries/\(id)"
            let pin = try await Self.pin(of: id, orders)
            let give = GiveProof(change: orders.change, pins: try OrdersUnderTest.pins)
            for left in (0..<DeliveryProof.pinTriesMax).reversed() {
                await #expect(throws: GiveProof.Refusal.wrongPIN(triesLeft: left)) {
                    try await give.pin(try Self.wrong(pin), of: id, by: Self.mira)
                }
            }
            await #expect(throws: ChangeRefusal.pinTriesUsed) { try await give.pin(pin, of: id, by: Self.mira) }
            let board: BoardBody = try await orders.send(client, .get, "/v1/deliveries", as: .operator, "ada").decode()
            #expect(board.deliveries.first?.need == .unproven)
            let version: DeliveryBody = try await orders.send(client, .get, path, as: .operator, "ada").decode()
            #expect(version.allowed.contains(.delivered) && version.undecidedSince != nil && version.pin == nil)
            func decide(_ reason: String?) async throws -> TestResponse {
                try await orders.send(
                    client, .post, "\(path)/status", as: .operator, "ada",
                    StatusBody(status: .delivered, reason: reason), ["If-Match": "*"])
            }
            #expect(try await decide(nil).problem().type.hasSuffix("/reason-required"))
            let decided: DeliveryBody = try await decide("the customer called").decode()
            #expect(decided.status == .delivered && decided.undecidedSince == nil)
            #expect(decided.proofs?.map(\.state) == [.waived])
            #expect(decided.proofs?.first?.reason == "the customer called")
            let last = try #require(try await OrderRepository.timeline(id, on: orders.pool).last)
            #expect(last.summary.contains("without pin") && last.reason == "the customer called")
            let event = WebhookEventBody.Content(
                try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery)
            #expect(event.proofs?.first?.state == .waived && event.proofs?.first?.reason == "the customer called")
        }
    }

    @Test("A wrong PIN whose answer was lost is counted once when the page or an app sends it again")
    func sentAgain() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.pin], orders, client)
            let wrong = try Self.wrong(try await Self.pin(of: id, orders))
            let give = GiveProof(change: orders.change, pins: try OrdersUnderTest.pins)
            let (first, second) = (UUID(), UUID())
            for (entry, left) in [(first, 4), (first, 4), (second, 3)] {
                await #expect(throws: GiveProof.Refusal.wrongPIN(triesLeft: left)) {
                    try await give.pin(wrong, of: id, by: Self.mira, from: "192.0.2.1", entry: entry)
                }
            }
            let sent: String? = UUID().uuidString
            for (entry, left) in [(sent, 2), (sent, 2), (nil, 1), (nil, 0)] as [(String?, Int)] {
                let answer = try await orders.send(
                    client, .post, "/v1/deliveries/\(id)/proofs", as: .courier, "mira",
                    GiveProofBody(pin: wrong.digits, entry: entry))
                #expect(answer.status == .unprocessableContent)
                #expect(try Self.problem(answer).triesLeft == left, "without an entry each one counts")
            }
        }
    }

    @Test("A hand-over at a wrong door by the courier's word is none at the right one, where the PIN is right")
    func wrongDoor() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.pin], orders, client)
            let pin = try await Self.pin(of: id, orders)
            let kept = try await orders.change(id, .handedOverUnconfirmed, by: Self.mira).record.delivery
            #expect(kept.proof?.handedOverAt != nil)
            let door = try #require(
                Coordinate(latitude: kept.door.latitude + 0.01, longitude: kept.door.longitude))
            let ada = Principal(.operator("ada"))
            let corrected = try await orders.change(id, .correct(DropOffCorrection(door: door)), by: ada)
            #expect(corrected.record.delivery.proof?.undecidedSince == nil)
            let give = GiveProof(change: orders.change, pins: try OrdersUnderTest.pins)
            _ = try await give.pin(pin, of: id, by: Self.mira)
            let delivery = try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery
            #expect(delivery.missingProofs.isEmpty && delivery.status == .handedOver(.enRoute))
        }
    }

    @Test("A courier's wrong PINs are counted over all deliveries, and right ones are not")
    func overDeliveries() async throws {
        try await OrdersUnderTest.run(limits: OrderLimits(customerDeliveriesMax: 1_000)) { orders, client in
            let give = GiveProof(change: orders.change, pins: try OrdersUnderTest.pins)
            var refusals: [GiveProof.Refusal] = []
            for number in 0...20 {
                let id = try await Self.atDoor(requiring: [.pin], reference: "G-\(number)", orders, client)
                let pin = try await Self.pin(of: id, orders)
                if number == 1 { _ = try await give.pin(pin, of: id, by: Self.mira, from: "192.0.2.1") }
                guard number != 1 else { continue }
                do {
                    _ = try await give.pin(try Self.wrong(pin), of: id, by: Self.mira, from: "192.0.2.1")
                } catch let refusal as GiveProof.Refusal {
                    refusals.append(refusal)
                }
            }
            #expect(refusals.allSatisfy { $0 == .wrongPIN(triesLeft: 4) })
            #expect(refusals.count == 20)
            let id = try await Self.atDoor(requiring: [.pin], reference: "G-last", orders, client)
            let pin = try await Self.pin(of: id, orders)
            let until = orders.clock.now.addingTimeInterval(ReferenceAttempts.windowSeconds)
            await #expect(throws: GiveProof.Refusal.tooManyWrong(until: until)) {
                try await give.pin(pin, of: id, by: Self.mira, from: "192.0.2.2")
            }
            let proof = try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery.proof
            #expect(proof?.wrongPINs == 0, "what is not compared counts against no delivery")
            let inStore = Principal(Self.mira.subject, scope: TokenScope(store: StoreID(rawValue: "nordhavn")))
            await #expect(throws: GiveProof.Refusal.wrongPIN(triesLeft: 4)) {
                try await give.pin(try Self.wrong(pin), of: id, by: inStore, from: "192.0.2.3")
            }
            // Others share the address of mira's carrier, which is refused at a limit of its own.
            let jonas = Principal(.courier(try #require(CourierID(rawValue: "jonas"))))
            let other = try await Self.atDoor(requiring: [.pin], reference: "G-other", orders, client)
            let otherPIN = try await Self.pin(of: other, orders)
            try await orders.assign("jonas", other, client)
            await #expect(throws: GiveProof.Refusal.wrongPIN(triesLeft: 4)) {
                try await give.pin(try Self.wrong(otherPIN), of: other, by: jonas, from: "192.0.2.1")
            }
            try await orders.pool.execute(
                """
                UPDATE reference_guesses SET attempts = \(GiveProof.networkWrongMax)
                WHERE guesser = 'pin/network/192.0.2.1'
                """)
            await #expect(throws: GiveProof.Refusal.tooManyWrong(until: until)) {
                try await give.pin(otherPIN, of: other, by: jonas, from: "192.0.2.1")
            }
            orders.clock.advance(by: ReferenceAttempts.windowSeconds + 1)
            _ = try await give.pin(pin, of: id, by: Self.mira, from: "192.0.2.2")
            _ = try await give.pin(otherPIN, of: other, by: jonas, from: "192.0.2.1")
        }
    }

    @Test("A provider's hand-over without its proof waits for it, and one with it is delivered")
    func provider() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.photo], orders, client)
            func report(_ key: String, _ code: StatusCode?, _ proofs: [ProofKind]?) async throws -> Delivery {
                let report = ProviderReport(
                    source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: key, kind: key,
                    status: code, occurredAt: orders.clock.now, receivedAt: orders.clock.now, proofs: proofs)
                return try await orders.change([.report(report, of: id)])[0].get().record.delivery
            }
            let waiting = try await report("first", .delivered, nil)
            #expect(waiting.status == .handedOver(.atDoor) && waiting.proof?.undecidedSince != nil)
            let entry = try #require(try await OrderRepository.timeline(id, on: orders.pool).last)
            #expect(entry.summary == "first: not applied without photo" && entry.report?.isLate == false)
            #expect(try await report("second", nil, [.photo]).status == .handedOver(.delivered))
        }
    }

    @Test("An operator is at no door: they report no age check, and waive it with a reason")
    func operatorsAge() async throws {
        try await OrdersUnderTest.run { orders, client in
            let id = try await Self.atDoor(requiring: [.age], orders, client)
            for check in [GiveProofBody.AgeCheck.passed, .refused] {
                let refused = try await orders.send(
                    client, .post, "/v1/deliveries/\(id)/proofs", as: .operator, "ada", GiveProofBody(age: check))
                #expect(try refused.status == .forbidden && refused.problem().type.hasSuffix("/not-yours-to-set"))
            }
            let record = try #require(try await OrderRepository.delivery(id, on: orders.pool))
            #expect(record.delivery.missingProofs == [.age] && record.delivery.proof?.given == [])
        }
    }

    @Test("A store's rules hold for orders that state none, those of a class of items for every order")
    func defaults() async throws {
        let rules = try #require(ProofRules("nordhavn=pin; */alcohol=age"))
        try await OrdersUnderTest.run(proofRules: rules) { orders, client in
            func required(_ change: (inout PlaceOrderBody) -> Void) async throws -> [ProofKind] {
                var body = try orders.body(reference: "G-\(UUID().uuidString.prefix(8))")
                change(&body)
                return try await orders.place(client, body).deliveries[0].proofs?.map(\.kind) ?? []
            }
            #expect(try await required { _ in } == [.pin])
            #expect(try await required { $0.requires = [] } == [])
            #expect(try await required { $0.deliveries[0].items[0].class = "alcohol" } == [.age, .pin])
            let wine: (inout PlaceOrderBody) -> Void = {
                $0.requires = []
                $0.deliveries[0].items[0].class = "alcohol"
            }
            #expect(try await required(wine) == [.age])
            var left = try orders.body(reference: "G-left")
            left.handoff = Handoff(method: .leaveAtDoor, verification: .none)
            let refused = try await orders.send(
                client, .post, "/v1/orders", as: .store, "nordhavn", left, ["Idempotency-Key": "left"])
            #expect(refused.status == .badRequest)
            #expect(try refused.problem().errors?.map(\.path) == ["handoff.method"])
        }
    }

    @Test("A known PIN is in no log, table, message, timeline, board or answer but the customer's own")
    func canary() async throws {
        let lines = LogLines()
        try await OrdersUnderTest.run(logger: lines.logger) { orders, client in
            let id = try await Self.atDoor(requiring: [.pin], orders, client)
            let path = "/v1/deliveries/\(id)"
            // No fraction of a second in a row ends with a zero.
            let pin = "8260"
            try await orders.pool.execute(
                "UPDATE delivery_pins SET sealed = \(try OrdersUnderTest.pins.seal(pin, of: id))")
            let give = GiveProof(change: orders.change, pins: try OrdersUnderTest.pins)
            let entered = try #require(CustomerPIN("1111"))
            await #expect(throws: GiveProof.Refusal.self) { try await give.pin(entered, of: id, by: Self.mira) }
            var texts = lines.all
            for (role, subject) in [(Role.operator, "ada"), (.store, "nordhavn"), (.courier, "mira")] {
                for uri in [path, "\(path)/timeline", "/v1/deliveries"] {
                    texts.append(String(buffer: try await orders.send(client, .get, uri, as: role, subject).body))
                }
            }
            let preview = try await orders.send(
                client, .put, "\(path)/hold?preview=true", as: .operator, "ada", HoldBody(reason: "?"))
            texts.append(String(buffer: preview.body))
            let page = try await orders.courierLink(of: "mira", client)
            texts.append(
                String(buffer: try await orders.send(client, .get, page, as: nil, "", NoBody?.none).body))
            texts += try await orders.outbox().map { String(decoding: $0.payload, as: UTF8.self) }
            for table in ["deliveries", "delivery_pins", "timeline", "orders", "link_presses", "reference_guesses"] {
                texts += try await orders.pool.query("SELECT row_to_json(one)::text AS row FROM \(raw: table) AS one")
                    .map { try $0.decode("row") }
            }
            #expect(texts.count > 15 && texts.allSatisfy { text in !Self.words(of: text).contains { $0 == pin } })
            let own: DeliveryBody = try await orders.send(client, .get, path, as: .customer, "mette").decode()
            #expect(own.pin == pin)
            let sealed = try #require(try await orders.snapshots(of: id).last?.message.pin)
            #expect(try OrdersUnderTest.pins.open(sealed, of: id) == pin)
        }
    }

    /// The words of a text; a UUID or a key is one word.
    private static func words(of text: String) -> Set<Substring> {
        Set(text.split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
    }
}
