import BrowserSupport
import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing
import WireCoding

extension BrowserTests {
    @Test("A chosen delivery that leaves the visible twenty stays chosen, and keys go on where its row stood")
    func deskKeepsChosen() async throws {
        try await OpenDelivery.run(isAlone: true) { delivery in
            var placed: [DeliveryID] = []
            for number in 0..<21 { placed.append(try await delivery.placeOrder(number)) }
            let desk = try await DeskOfDelivery(of: delivery)
            let page = desk.page
            try await desk.open("/?store=\(delivery.boardStore)")
            try await page.waitUntil("twenty of one lane are shown") {
                let live = try await page.element("#count-live").text
                return try await page.boardRows().count == 20 && live == "21"
            }
            let shown = try await page.boardRows()
            let chosen = try #require(shown.last)
            let other = try #require(placed.first { !shown.contains($0.rawValue) })
            // By the keys, down to the last row.
            try await page.type(String(repeating: "j", count: 20) + "x")
            try await desk.expect("#chosen-count", contains: "1 chosen")
            #expect(try await page.elements("[data-id=\"\(chosen)\"] input:checked").count == 1)

            try await delivery.promise(other, inSeconds: 7_200)
            try await page.waitUntil("the other is shown in its place") {
                let rows = try await page.boardRows()
                return rows.contains(other.rawValue) && !rows.contains(chosen)
            }
            try await desk.expect("#chosen-count", contains: "1 chosen, 1 of them not shown")
            try await delivery.expectAccessible(page)
            try await page.type("x")
            #expect(try await page.elements(".row input:checked").isEmpty, "no row is current")
            try await page.type("j")
            let last = try #require(try await page.boardRows().last)
            try await page.expect(".row.current[data-id=\"\(last)\"]")

            try await delivery.promise(other, inSeconds: 36_000)
            try await page.waitUntil("its row is back, and chosen") {
                try await page.elements("[data-id=\"\(chosen)\"] input:checked").count == 1
            }
            #expect(try await page.element("#chosen-count").text == "1 chosen")

            try await delivery.promise(other, inSeconds: 7_200)
            try await desk.expect("#chosen-count", contains: "1 chosen, 1 of them not shown")
            try await page.execute("document.getElementById('forget-left').focus()")
            try await page.press(.enter)
            #expect(try await page.element("#chosen-count").text.isEmpty)
            #expect(
                try await page.execute("return document.activeElement.matches('#bulk button.main')", as: Bool.self),
                "the button that has hidden itself does not lose the focus")

            try await delivery.promise(other, inSeconds: 36_000)
            try await page.expect("[data-id=\"\(chosen)\"]")
            #expect(try await page.elements(".row input:checked").isEmpty)
            try await page.click("[data-id=\"\(chosen)\"] input")
            try await delivery.promise(other, inSeconds: 7_200)
            try await desk.expect("#chosen-count", contains: "1 chosen, 1 of them not shown")
            try await page.type("storm", into: "#bulk [name=reason]")
            try await page.click("#bulk button")
            try await desk.expect("main", contains: "Do it to 1")
            #expect(try await page.source.contains(chosen))
            try await delivery.expectSilentConsole(page)
        }
    }

    @Test("Keys go on behind the row that left, also where another delivery has entered the board above it since")
    func deskKeepsPlaceLeft() async throws {
        try await OpenDelivery.run(isAlone: true) { delivery in
            var placed: [DeliveryID] = []
            for number in 0..<22 { placed.append(try await delivery.placeOrder(number)) }
            let desk = try await DeskOfDelivery(of: delivery)
            let page = desk.page
            try await desk.open("/?store=\(delivery.boardStore)")
            try await page.waitUntil("twenty of one lane are shown") {
                let live = try await page.element("#count-live").text
                return try await page.boardRows().count == 20 && live == "22"
            }
            let shown = try await page.boardRows()
            let leaving = try #require(placed.first { $0.rawValue == shown[10] })
            let entering = try #require(placed.last { !shown.contains($0.rawValue) })
            try await page.type(String(repeating: "j", count: 11))
            try await page.expect(".row.current[data-id=\"\(leaving)\"]")

            try await delivery.promise(leaving, inSeconds: 36_000)
            try await page.waitUntil("the current row has left") {
                try await !page.boardRows().contains(leaving.rawValue)
            }
            try await delivery.promise(entering, inSeconds: 7_200)
            try await page.waitUntil("another is shown above") {
                try await page.boardRows().first == entering.rawValue
            }
            try await page.type("j")
            try await page.expect(".row.current")
            #expect(try await page.element(".row.current").attribute("data-id") == shown[11])
        }
    }
}

extension BrowserPage {
    /// The deliveries of the board's rows, from the top.
    fileprivate func boardRows() async throws -> [String] {
        try await execute(
            "return Array.from(document.querySelectorAll('#board [data-id]'), (row) => row.dataset.id)",
            as: [String].self)
    }
}

extension OpenDelivery {
    fileprivate var boardStore: String { "board-\(number)" }

    /// Places an order of another customer at another store, promised for later than those before.
    fileprivate func placeOrder(_ number: Int) async throws -> DeliveryID {
        let name = "\(boardStore)-\(number)"
        let start = stack.clock.now.addingTimeInterval(10_800 + 60 * Double(number))
        let milk = PlaceOrderBody.Line(id: try #require(ItemID(rawValue: "milk")), name: "Milk")
        let body = PlaceOrderBody(
            reference: "B-\(self.number)\(100 + number)", customer: try #require(CustomerID(rawValue: name)),
            store: Store(
                id: try #require(StoreID(rawValue: boardStore)), name: "Østerbro",
                location: try #require(Coordinate(latitude: 55.7085, longitude: 12.5942)),
                timeZone: "Europe/Copenhagen", currency: CurrencyCode(rawValue: "DKK")),
            promise: try #require(Promise(start: start, end: start.addingTimeInterval(1_800))),
            door: try #require(Coordinate(latitude: 55.6933, longitude: 12.5489)), handoff: nil,
            deliveries: [.init(items: [milk])])
        let order: OrderBody = try await stack.asStore.send(
            .POST, .orders, "/v1/orders", body, headers: ["Idempotency-Key": name])
        return try #require(order.deliveries.first).id
    }

    /// Moves the promise of one of them.
    fileprivate func promise(_ id: DeliveryID, inSeconds seconds: TimeInterval) async throws {
        let start = stack.clock.now.addingTimeInterval(seconds)
        let promise = PromiseBody(start: start, end: start.addingTimeInterval(1_800), reason: "a test")
        try await stack.asStore.exchange(
            .PUT, .orders, "/v1/deliveries/\(id)/promise", try WireJSON.encode(promise))
    }
}
