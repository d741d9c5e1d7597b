import ArgumentParser
import CommandOutput
import DeliverySamples
import DoorstepAPI
import Foundation
import OrderDomain
import Testing
import WireCoding

@testable import Doorstep

@Suite("Orders from flags")
struct OrderArgumentTests {
    @Test(
        "An item may be counted",
        arguments: [
            ("2x Oat milk", 2, "Oat milk"), ("12 × Eggs", 12, "Eggs"), ("7up", 1, "7up"), ("Milk", 1, "Milk"),
            ("3X Milk", 3, "Milk"), ("٢x حليب", 2, "حليب"), ("१२ × दूध", 12, "दूध"), ("999x Napkins", 999, "Napkins"),
        ])
    func item(text: String, quantity: Int, name: String) throws {
        let line = try SimpleOrder.line(text, number: 3)
        #expect(line.quantity == quantity)
        #expect(line.name == name)
        #expect(line.id.rawValue == "item-3")
    }

    @Test(
        "A number that no item is ordered by is refused, and not taken for one piece",
        arguments: ["1000x Napkins", "0x Milk", "99999999999999999999 x Milk", "١٠٠٠x حليب"])
    func wrongNumber(text: String) throws {
        let refusal = try #require(throws: CommandFailure.self) { try SimpleOrder.line(text, number: 1) }
        #expect(refusal.kind == .usage && refusal.message.contains("1 to 999"))
    }

    @Test("What is printed of a placed order names its link and the next command")
    func placed() {
        let order = WrittenTimesTests.order(SampleDeliveries.whole([]))
        let delivery = order.deliveries[0].id
        let text = order.placedText(links: [delivery: "https://go.nordhavn.example/l/AQ"])
        #expect(
            text.split(separator: "\n").prefix(3) == [
                "order \(order.id)", "delivery \(delivery)", "link https://go.nordhavn.example/l/AQ",
            ])
        #expect(text.hasSuffix("doorstep order set-status \(order.reference) --status accepted"))
        #expect(text.contains("\nText the link"))
        let unlinked = order.placedText(links: [:])
        #expect(!unlinked.contains("\nlink ") && !unlinked.contains("Text the link"))
    }

    @Test("A place is latitude and longitude", arguments: ["55.7", "north,12", "95,12", "55.7;12.5", ""])
    func noPlace(text: String) {
        #expect(throws: CommandFailure.self) { try SimpleOrder.place(text) }
    }

    @Test("A simple order has one delivery, promised from now on")
    func simple() throws {
        let now = Date(timeIntervalSince1970: 1_795_280_400)
        let order = try SimpleOrder.parse([
            "--reference", "A-7", "--customer", "mette", "--door", "55.69, 12.57", "--item", "2x Milk", "--item", "Rye",
            "--in-minutes", "20", "--leave-at-door",
        ])
        let body = try order.body(now: now)
        #expect(body.deliveries.count == 1)
        #expect(body.deliveries[0].items.map(\.name) == ["Milk", "Rye"])
        #expect(body.promise.start == now.addingTimeInterval(1200))
        #expect(body.handoff?.method == .leaveAtDoor)
        #expect(order.isGiven)
    }

    @Test(
        "A promise begins at the store's clock time, or at an instant",
        arguments: [
            ("20:30", "2026-11-22T19:30:00Z"), ("06:00", "2026-11-23T05:00:00Z"),
            ("2026-11-24T20:30:00Z", "2026-11-24T20:30:00Z"),
        ])
    func from(text: String, start: String) throws {
        let now = try #require(WireJSON.date(from: "2026-11-22T18:52:00Z"))
        let flags = ["--reference", "A-7", "--customer", "mette", "--door", "55.69,12.57", "--item", "Milk"]
        let order = try SimpleOrder.parse(flags + ["--from", text])
        #expect(try order.body(now: now).promise.start == WireJSON.date(from: start))
        #expect(throws: (any Error).self) { try SimpleOrder.parse(flags + ["--from", "half past eight"]) }
        let nowhere = try SimpleOrder.parse(flags + ["--time-zone", "Nordhavn"])
        #expect(throws: CommandFailure.self) { try nowhere.body(now: now) }
    }

    @Test(
        "An order in a file has no other part of it in flags",
        arguments: [
            ["--from", "20:30"], ["--leave-at-door"], ["--store", "valby"], ["--in-minutes", "10"],
            ["--currency", "EUR"], ["--time-zone", "Europe/Paris"],
        ])
    func file(flags: [String]) throws {
        _ = try OrderPlace.parse(["--file", "x"])
        _ = try OrderPlace.parse(flags)
        #expect(throws: (any Error).self) { try OrderPlace.parse(["--file", "x"] + flags) }
    }

    @Test("A place south or west of zero is written like any other")
    func negative() throws {
        let order = try SimpleOrder.parse(["--door", "-33.8688,151.2", "--store-at", "-33.87,-70.6"])
        #expect(order.door == "-33.8688,151.2" && order.storeAt == "-33.87,-70.6")
        #expect(try CorrectionFlags.parse(["--door", "-33.8688,151.2"]).door == "-33.8688,151.2")
        let substitute = ["--item", "i1", "--status", "substituted", "--substitute", "Oat milk"]
        #expect(try ItemReport.parse(substitute + ["--price-difference", "-450"]).priceDifference == -450)
    }

    @Test(
        "An item's report has no option of another status",
        arguments: [
            ["--status", "out_of_stock", "--quantity", "2"], ["--status", "found", "--price-difference", "5"],
            ["--status", "short", "--quantity", "1", "--substitute-quantity", "1"],
            ["--status", "substituted", "--substitute", "Oat milk", "--answer-seconds", "60"],
        ])
    func itemOptions(flags: [String]) throws {
        #expect(throws: (any Error).self) { try ItemReport.parse(["--item", "i1"] + flags) }
    }

    @Test("What is missing is reported at once")
    func missing() throws {
        let order = try SimpleOrder.parse(["--reference", "A-7"])
        #expect(throws: CommandFailure.self) { try order.body(now: .distantPast) }
    }
}
