import CommandLineTestSupport
import CommandOutput
import DeliveryDiagnosis
import DeliverySamples
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import StackClient
import Testing
import TimePresentation
import WireCoding

@testable import Doorstep

@Suite("Operators' lists")
struct OperatorTextTests {
    static let board = """
        {"counts":{"live":3,"late":1,"atRisk":0,"silent":1,"unassigned":1,"waitingForCustomer":1},
         "deliveries":[
          {"id":"00000000-0000-4000-8000-000000000001","reference":"A-1043","bag":{"number":1,"count":2},
           "customer":"mette","store":"nordhavn","timeZone":"Europe/Copenhagen","status":"en_route","phase":"on_the_way",
           "flags":["courier_silent","delayed"],"courier":"mira","courierName":"Mira","risk":"late","lateMinutes":11,"missProbability":0.876,"version":12,
           "promise":{"start":"2026-11-21T17:20:00.000Z","end":"2026-11-21T17:50:00.000Z"},
           "estimate":{"arrivesAt":"2026-11-21T18:01:00.000Z","earliest":"2026-11-21T17:57:00.000Z",
                       "latest":"2026-11-21T18:09:00.000Z","madeAt":"2026-11-21T17:30:00.000Z"},
           "statusSince":"2026-11-21T17:12:00.000Z","cards":{"count":2,"behind":1,"reason":"budget"}},
          {"id":"00000000-0000-4000-8000-000000000002","reference":"A-\\u001b[31m44","bag":{"number":1,"count":1},
           "customer":"ole","store":"nordhavn","timeZone":"Europe/Copenhagen","status":"picking","courierStatus":"unassigned","phase":"picking",
           "flags":[],"risk":"on_time","version":3,
           "promise":{"start":"2026-11-22T18:20:00.000Z","end":"2026-11-22T18:50:00.000Z"},
           "statusSince":"2026-11-21T17:12:00.000Z"},
          {"id":"00000000-0000-4000-8000-000000000003","reference":"A-1040","bag":{"number":1,"count":1},
           "customer":"ida","store":"nordhavn","timeZone":"Europe/Copenhagen","status":"delivered","phase":"ended",
           "flags":[],"risk":"ended","lateMinutes":2,"version":9,"courier":"mira","courierName":"Mira",
           "promise":{"start":"2026-11-21T17:00:00.000Z","end":"2026-11-21T17:30:00.000Z"},
           "estimate":{"arrivesAt":"2026-11-21T17:28:00.000Z","earliest":"2026-11-21T17:27:00.000Z",
                       "latest":"2026-11-21T17:29:00.000Z","madeAt":"2026-11-21T17:26:00.000Z"},
           "statusSince":"2026-11-21T17:32:00.000Z","endedAt":"2026-11-21T17:32:00.000Z"}],
         "next":"c2"}
        """

    @Test("The board is the one that was reviewed: counts first, then a table, then how to go on")
    func golden() throws {
        let board = try WireJSON.decode(BoardBody.self, from: Data(Self.board.utf8))
        let text = board.text(now: SampleDeliveries.at(55)) + "\n"
        try expectGolden(text, "ops/ops-list.txt")
        #expect(!text.contains("\u{1B}"), "what a shop names must not steer a terminal")
    }

    @Test(
        "A narrow terminal gives up columns in order and names them, and wraps nothing", arguments: [120, 80, 60, 40])
    func narrow(columns: Int) throws {
        let board = try WireJSON.decode(BoardBody.self, from: Data(Self.board.utf8))
        let text = board.text(now: SampleDeliveries.at(55), columnsMax: columns)
        let lines = text.split(separator: "\n").map(String.init)
        let table = lines.drop { !$0.contains("ORDER") }
        #expect(table.prefix(4).allSatisfy { $0.columns <= columns }, "\(lines)")
        #expect(table.prefix(4).allSatisfy { !$0.contains("00000000-0000") })
        #expect(lines.contains { $0.hasPrefix("left out: CARDS, FLAGS, DELIVERY") })
        #expect(table.first?.contains("PROMISED") == true)
    }

    @Test("A store that no order is of is refused, with those that there are")
    func unknownStore() throws {
        let board = try WireJSON.decode(BoardBody.self, from: Data(Self.board.utf8))
        let refusal = BoardQuery.refusal(ofStore: "nosuch", among: board.deliveries)
        #expect(refusal.kind == .notFound)
        #expect(refusal.message == "no order is of a store nosuch. Stores with live deliveries: nordhavn.")
        #expect(BoardQuery.refusal(ofStore: "nosuch", among: []).message.hasSuffix("No delivery is live."))
        let stores = ["amager", "nordhavn", "valby"]
        #expect(UnknownStore("Valbi", among: stores).candidates == ["valby", "amager", "nordhavn"])
        #expect(UnknownStore("norhdavn", among: stores + stores).candidates.first == "nordhavn")
    }

    @Test("A delivery on hold has its reason in the list, whatever characters it has")
    func holdReason() throws {
        let row = try SampleBoard.row(flags: ["delayed", "on_hold"], holdReason: "the street \u{1B}[2J is closed")
        let text = SampleBoard.board([row]).text(now: SampleBoard.now)
        #expect(text.contains("delayed, on hold: the street ") && text.contains(" is closed"))
        #expect(!text.contains("\u{1B}"))
    }

    @Test("A list that found nothing says what it looked for")
    func nothingFound() throws {
        let board = BoardBody(
            counts: try WireJSON.decode(BoardBody.self, from: Data(Self.board.utf8)).counts, deliveries: [], next: nil)
        let disputed = BoardQuery(isDisputed: true, limit: 40)
        #expect(disputed.items.first { $0.name == "flag" }?.value == "disputed" && disputed.words == ["disputed only"])
        let behind = BoardQuery(hasCardsBehind: true, limit: 40)
        #expect(behind.items.first { $0.name == "cardsBehind" }?.value == "true")
        #expect(behind.words == ["with cards behind only"])
        let query = BoardQuery(isLate: true, search: "anna holm", limit: 40)
        let text = board.text(restrictions: query.words, now: SampleDeliveries.at(55))
        #expect(text.hasSuffix("No delivery is found: late only, \"anna holm\"."))
        #expect(!board.text(now: SampleDeliveries.at(55)).contains("found"), "a quiet evening is no fault")
    }

    @Test("One delivery and its timeline are as reviewed")
    func show() throws {
        let delivery = SampleDeliveries.delivery(SampleDeliveries.toEnRoute)
        let entries = SampleTimeline.orders(delivery).entries
        try expectGolden(delivery.text(entries, now: SampleDeliveries.at(55)) + "\n", "ops/ops-show.txt")
    }

    private static let milk: ItemID = SampleDeliveries.id("milk")
    private static let oats = Substitute(name: "Oat milk", quantity: 3, priceDifferenceMinorUnits: 0)
    private static let dearer = Substitute(name: "Oat milk", quantity: 3, priceDifferenceMinorUnits: 900)
    private static let asked = DeliveryChange.item(milk, .proposed(oats, answerUntil: SampleDeliveries.at(20)))
    private static let agreed: [DeliveryChange] = [asked, .answer(milk, proposal: 1, isApproved: true)]
    private static let replaced: [DeliveryChange] = agreed + [.item(milk, .substituted(dearer))]

    @Test(
        "An item has the pieces in the bag, and the number of its substitute while that is offered or packed",
        arguments: [
            ([], "0 of 2  Milk  to be picked"),
            ([.item(milk, .found(quantity: 2))], "2 of 2  Milk  found"),
            ([.item(milk, .found(quantity: 1))], "1 of 2  Milk  fewer than ordered"),
            ([asked], "0 of 2  Milk  substitute proposed → 3 × Oat milk"),
            (agreed, "2 of 2  Milk  substituted → 3 × Oat milk"),
            (replaced, "2 of 2  Milk  substituted, not asked → 3 × Oat milk"),
            ([asked, .answer(milk, proposal: 1, isApproved: false)], "0 of 2  Milk  refunded"),
        ] as [([DeliveryChange], String)])
    func items(changes: [DeliveryChange], row: String) {
        let picking: [DeliveryChange] = [.status(.accepted, reason: nil), .status(.picking, reason: nil)]
        let text = SampleDeliveries.delivery(picking + changes).text([], now: SampleDeliveries.at(55))
        #expect(text.contains("\n  milk  \(row)\n"), "\(text)")
    }

    @Test("Dead letters are listed service by service, and say how to go on")
    func deadLetters() throws {
        let letter = DeadLetterBody(
            id: "11111111-0000-4000-8000-000000000001", subject: "couriers.milestones-reached", about: "x",
            error: "no milestone teleported", attempts: 5, occurredAt: SampleDeliveries.placedAt, state: "open",
            payload: nil
        )
        let times = StoreTimes(timeZone: "Europe/Copenhagen", now: SampleDeliveries.at(55))
        let text = DeadLettersList.table(
            [
                (.orders, DeadLettersBody(deadLetters: [letter], next: "n1")),
                (.courierETA, DeadLettersBody(deadLetters: [], next: nil)),
            ], times
        ).text
        try expectGolden(text + "\n", "ops/dead-letters.txt")
        #expect(DeadLettersList.table([], times).text == "no dead letters")
    }
}
