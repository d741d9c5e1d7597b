import BrowserSupport
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing
import WireCoding

extension BrowserTests {
    @Test("An order is seen to the door from the desk: its card is the phone's and the customer's page's at each step")
    func deskFollows() async throws {
        try await OpenDelivery.run { delivery in
            try await delivery.page.open(delivery.link)
            let desk = try await DeskOfDelivery(of: delivery)
            try await desk.expect(desk.row, contains: "placed, no courier")
            try await delivery.set(.accepted)
            try await desk.expect(desk.row, contains: "accepted, no courier")

            try await desk.preview("status", [("status", "picking")], reason: "the store's tablet is dead")
            try await desk.expect("#preview", contains: "is picking your groceries")
            try await delivery.expectAccessible(desk.page)
            #expect(try await delivery.delivery().status == .accepted, "nothing has changed yet")
            try await desk.commit()
            try await delivery.expectPhoneCard(in: .init(.picking))
            try await desk.expectPhoneCard(in: .init(.picking))
            try await desk.expect(".events", contains: "the store's tablet is dead")

            // The rest comes from the shop and the courier: the desk follows by itself.
            try await delivery.assignMira()
            try await delivery.set(.staged)
            try await delivery.expectPhoneCard(in: .init(.packed))
            try await desk.expectPhoneCard(in: .init(.packed))
            try await delivery.ride(0)
            try await delivery.set(.pickedUp, .enRoute)
            try await delivery.ride(0.3)
            try await delivery.expectPhoneCard(in: .init(.onTheWay))
            try await desk.expectPhoneCard(in: .init(.onTheWay))
            try await desk.expect(".facts", contains: "most likely between")
            try await desk.expect(".facts", contains: "% likely")
            try await desk.expect(".shown", contains: delivery.phone.id)
            try await delivery.expectAccessible(desk.page)
            try await delivery.set(.arriving, .atDoor)
            try await delivery.expectPhoneCard(in: .init(.atDoor))
            try await desk.expectPhoneCard(in: .init(.atDoor))
            try await delivery.set(.delivered)
            try await delivery.expectPhoneCard(in: .init(.ended))
            try await desk.expectPhoneCard(in: .init(.ended))
            try await desk.expect(".diagnosis", contains: "It ended at")
            #expect(try await !desk.page.source.contains("/l/"), "no customer's link reaches the desk")
            try await desk.open("/")
            try await desk.page.waitUntil("the board has the ended delivery no more") {
                try await desk.page.elements(desk.row).isEmpty
            }
            try await delivery.expectSilentConsole(desk.page)
        }
    }

    @Test("Every page of the desk is within reach of anybody, in both appearances and at every width")
    func deskPages() async throws {
        try await OpenDelivery.run(isAlone: true) { delivery in
            let desk = try await DeskOfDelivery(of: delivery)
            try await delivery.set(.accepted, .picking, .staged)
            try await delivery.assignMira()
            try await delivery.ride(0)
            let _: EndpointBody = try await delivery.stack.asOperator.send(
                .POST, .partners, "/v1/webhooks",
                NewEndpointBody(url: "https://orders.nordhavn.example/\(String(repeating: "hooks", count: 20))"))
            let paths = [
                "/", "/map", "/couriers", "/log", "/report", "/cards", "/dead-letters", "/webhooks", "/health",
                "/persons",
                "/reads", desk.path,
                "\(desk.path)/change/drop-off", "\(desk.path)/change/item",
            ]
            for path in paths {
                try await desk.open(path)
                if path == "/webhooks" {
                    try await desk.expect("main", contains: "https://orders.nordhavn.example/hooks")
                }
                if path == "/map" {
                    try await desk.page.waitUntil("the map has the courier, the door and the store") {
                        try await desk.page.elements(".mark").count == 3
                    }
                    try await desk.expect(".leaflet-control-attribution", contains: MadeUpStreets.attribution)
                }
                try await delivery.expectAccessible(desk.page)
                for width in [320, 390, 768, 1280] {
                    try await desk.page.resize(to: ViewportSize(width: width, height: 900))
                    let overflow = try await desk.page.execute(
                        "return document.documentElement.scrollWidth - document.documentElement.clientWidth",
                        as: Int.self)
                    #expect(overflow <= 0, "\(path) at \(width) px")
                    let broken = try await desk.page.execute(Self.brokenNumbers, as: Int.self)
                    #expect(broken == 0, "\(path) at \(width) px")
                }
            }
            try await desk.expect("main", contains: "Change an item")
            try await desk.open("/health")
            try await desk.expect(".diagnosis", contains: "All is well.")
            try await desk.open("/")
            try await desk.page.click("\(desk.row) input")
            try await desk.page.type("storm", into: "#bulk [name=reason]")
            try await desk.page.click("#bulk button")
            try await desk.expect("main", contains: "Do it to 1")
            try await delivery.expectAccessible(desk.page)
            try await desk.open("/deliveries/00000000-0000-4000-8000-000000000000")
            try await desk.expect("main", contains: "There is no such delivery")
            try await delivery.expectAccessible(desk.page)
            // The browser itself notes that the answer was a 404.
            _ = try await desk.page.readConsole()
            try await desk.page.deleteCookies()
            try await desk.open("/")
            try await desk.expect("main", contains: "doorstep desk open")
            try await delivery.expectAccessible(desk.page)
            try await delivery.expectSilentConsole(desk.page)
        }
    }

    /// Counts the numbers and headings of tables that have more than one line, and rows of the board whose details have
    /// less than half of the row.
    private static let brokenNumbers = """
        const lines = (cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
        };
        const cells = [...document.querySelectorAll(".numbers td, .numbers thead th")];
        const rows = [...document.querySelectorAll(".row")];
        return cells.filter((cell) => lines(cell) > 1).length
          + rows.filter((row) => 2 * row.querySelector(".more").offsetWidth < row.offsetWidth).length;
        """

    @Test("A late delivery gets a new window by four clicks, and several by one action that one button takes back")
    func deskWindows() async throws {
        try await OpenDelivery.run { delivery in
            let other = try await delivery.placeAnother()
            for one in [delivery, other] {
                try await one.set(.accepted)
                let now = one.stack.clock.now
                let promise = PromiseBody(start: now - 1_200, end: now + 300, reason: "a test")
                try await one.stack.asStore.exchange(
                    .PUT, .orders, "/v1/deliveries/\(one.id)/promise", try WireJSON.encode(promise))
            }
            let desk = try await DeskOfDelivery(of: delivery)
            try await desk.expect(desk.row, contains: "min late")
            let former = try await delivery.delivery().promise
            var clicks = 0
            func click(_ selector: String) async throws {
                try await desk.page.click(selector)
                clicks += 1
            }
            try await click("\(desk.row) .order")
            try await click(".changes a[href$='/change/promise']")
            try await delivery.expectAccessible(desk.page)
            let ends = [former.start, former.end].map { "\(Int($0.timeIntervalSince1970.rounded(.down)) + 3_600)" }
            try await click("#windows button[value='\(ends.joined(separator: "-"))']")
            try await click("#commit")
            try await desk.page.waitUntil("it is done") { try await desk.page.url.contains("?done=promise") }
            #expect(clicks == 4)
            #expect(try await delivery.delivery().promise.end > former.end + 3_598)

            try await desk.open("/")
            let before = try await other.delivery().promise
            for id in [delivery.id, other.id] { try await desk.choose(id) }
            try await desk.page.type("move the promise", into: "#bulk [name=kind]")
            try await desk.page.type("storm", into: "#bulk [name=reason]")
            try await desk.page.click("#bulk button")
            try await delivery.expectAccessible(desk.page)
            try await desk.page.click("#choose button[value='60']")
            try await desk.expect("main", contains: "Do it to 2")
            try await desk.expect("main", contains: "its card: “")
            try await desk.page.click("#commit")
            try await desk.expect("main", contains: "done; it is at version")
            #expect(try await other.delivery().promise.end > before.end)
            try await desk.page.click("#undo")
            try await desk.page.waitUntil("it is taken back") {
                try await other.delivery().promise.end.timeIntervalSince(before.end).magnitude < 1
            }
            try await delivery.expectSilentConsole(desk.page)
        }
    }

    @Test("Of two operators the slower is shown what the faster did, and each role what it may")
    func twoOperators() async throws {
        try await OpenDelivery.run { delivery in
            try await delivery.set(.accepted)
            let ada = try await DeskOfDelivery(of: delivery)
            let bo = try await DeskOfDelivery(of: delivery, as: "bo", scope: "dispatcher")
            try await ada.preview("hold", reason: "wrong address")
            try await bo.preview("hold", reason: "flat tyre")
            try await ada.commit()
            try await bo.page.click("#commit")
            try await bo.expect("[role=alert]", contains: "Another operator changed the delivery")
            try await bo.expect("[role=alert]", contains: "operator ada")
            #expect(try await bo.page.element("#reason").property("value", as: String.self) == "flat tyre")

            // Undone by who did it, seen by the other without a reload.
            try await bo.open(bo.path)
            try await bo.expect(".diagnosis", contains: "It is on hold: wrong address")
            try await ada.page.click(".done a")
            try await ada.page.click("#change button")
            try await ada.commit()
            try await bo.expect(".events", contains: "Undo")
            #expect(try await !delivery.delivery().flags.contains(.onHold))

            #expect(try await ada.page.text.contains("Send the cards again"))
            #expect(try await !bo.page.text.contains("Send the cards again"), "that takes a supervisor")
            let vera = try await DeskOfDelivery(of: delivery, as: "vera", scope: "viewer")
            try await vera.open(vera.path)
            try await vera.expect("h1", contains: delivery.reference)
            #expect(try await vera.page.elements(".changes a").isEmpty)
            try await vera.open("\(vera.path)/change/hold")
            try await vera.expect("main", contains: "It takes a dispatcher")

            // The board of the others shows the owner.
            try await bo.page.click("button[value=own]")
            try await ada.open("/")
            try await ada.expect(ada.row, contains: "owner bo")
            try await ada.open("/?owner=me")
            #expect(try await ada.page.elements(ada.row).isEmpty)
        }
    }
}
