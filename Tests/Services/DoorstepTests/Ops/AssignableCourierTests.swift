import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Doorstep

@Suite("Assigning a courier nobody enrolled")
struct AssignableCourierTests {
    private func courier(
        _ id: String, _ name: String? = nil, onDuty: Bool = false, deliveries: Int = 0
    ) throws -> CouriersBody.Row {
        .init(
            courier: try #require(CourierID(rawValue: id)), name: name, phones: 1, lastSeenAt: nil, onDuty: onDuty,
            deliveries: deliveries)
    }

    @Test("The refusal names those that may be meant: a like id first, then who is on duty with the least to carry")
    func candidates() throws {
        let couriers = [
            try courier("ada"), try courier("jonas", "Jonas", onDuty: true, deliveries: 3),
            try courier("mira", "Mira"), try courier("noah", "Noah \u{1B}[2J", onDuty: true, deliveries: 1),
        ]
        let id = try #require(CourierID(rawValue: "mirra"))
        #expect(
            UnknownCourier(id, among: couriers).candidates.map(\.courier.rawValue)
                == ["mira", "noah", "jonas", "ada"])
        let refusal = AssignableCourier.refusal(UnknownCourier(id, among: couriers))
        #expect(refusal.kind == .notFound)
        #expect(refusal.message.contains("mira Mira, off duty, 0 deliveries"))
        #expect(refusal.message.contains("--unknown") && !refusal.message.contains("\u{1B}"))
    }

    @Test(
        "Letters that changed places, and another case, are mistakes of typing",
        arguments: ["mria", "Mira", "mra", "nira"])
    func typing(text: String) throws {
        let couriers = [
            try courier("c05", "Cecilie", onDuty: true), try courier("mira", deliveries: 9),
            try courier("mads", "Mads", onDuty: true),
        ]
        let id = try #require(CourierID(rawValue: text))
        #expect(UnknownCourier(id, among: couriers).candidates.first?.courier.rawValue == "mira")
    }

    @Test("Of many the first eight are named, and where there is none that is said")
    func bounds() throws {
        let many = try (0..<20).map { try courier("courier-\($0)") }
        let id = try #require(CourierID(rawValue: "typo1"))
        #expect(UnknownCourier(id, among: many).candidates.count == 8)
        #expect(AssignableCourier.refusal(UnknownCourier(id, among: [])).message.contains("No courier is enrolled"))
    }

    @Test("A vehicle and a number describe a courier with a name, and a name describes one whose id is given")
    func described() throws {
        let assigned = ["G-1", "--courier", "mira", "--reason", "x"]
        for detail in [["--phone", "1"], ["--vehicle", "car"]] {
            #expect(throws: (any Error).self) { try OpsAssign.parse(assigned + detail) }
            #expect(try OpsAssign.parse(assigned + detail + ["--name", "Mira"]).name == "Mira")
        }
        let unassigned = ["G-1", "--nobody", "--reason", "x"]
        #expect(try OpsAssign.parse(unassigned).nobody)
        #expect(throws: (any Error).self) { try OpsAssign.parse(unassigned + ["--name", "Mira"]) }
    }

    @Test("One without a phone, or without a name, is assigned with a note that says so")
    func notes() throws {
        #expect(AssignableCourier.note(about: try courier("mira", "Mira")) == nil)
        #expect(AssignableCourier.note(about: try courier("mira"))?.contains("--name") == true)
        let id = try #require(CourierID(rawValue: "mira"))
        let phoneless = CouriersBody.Row(
            courier: id, name: "Mira", phones: 0, lastSeenAt: nil, onDuty: true, deliveries: 0)
        #expect(AssignableCourier.note(about: phoneless)?.contains("no phone") == true)
    }
}
