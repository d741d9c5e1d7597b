import BrowserSupport
import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing

extension BrowserTests {
    @Test("Of many doors a dispatcher filters, reads and chooses some on the map, and changes these together")
    func mapOfManyDoors() async throws {
        try await OpenDelivery.run(isAlone: true, hasTiles: true) { delivery in
            try await delivery.assignMira()
            try await delivery.ride(0.5)
            // Eight customers of one house, three streets, and a door of a later day where the courier is: in two
            // days, since a day may have 25 hours.
            for number in 0..<11 {
                let east = number < 8 ? 0 : Double(number - 7) * 0.009
                _ = try await delivery.placeOrder(number, latitude: 55.7, longitude: 12.55 + east, days: 0)
            }
            let later = try await delivery.placeOrder(11, latitude: 55.7009, longitude: 12.5716, days: 2)

            let desk = try await DeskOfDelivery(of: delivery)
            try await desk.open("/map")
            try await desk.page.waitUntil("the map has a group, four doors, the courier and the store") {
                let groups = try await desk.page.elements("#map .mark.group").count
                let others = try await desk.page.elements("#map .mark:not(.group)").count
                return groups == 1 && others == 6
            }
            #expect(try await desk.page.element("#map .mark.group").text.hasPrefix("8"))
            try await desk.expect(".leaflet-control-attribution", contains: "Sample Images")
            try await desk.page.expect("#map img.leaflet-tile-loaded")
            try await desk.page.waitUntil("labels cover neither one another nor a mark") {
                try await desk.page.execute(Self.labelFaults, as: Int.self) == 0
            }
            try await desk.page.waitUntil("no courier covers a group's number, and the marks fill the map") {
                try await desk.page.execute(Self.isReadable, as: Bool.self)
            }
            try await desk.expect("#map-count", contains: "12 of 13 live deliveries are on the map; 1 is for another")
            try await delivery.expectAccessible(desk.page)

            // The door of the later day is there where it is asked for, also after a reload.
            let door = "#doors [data-door=\"\(later)\"]"
            #expect(try await desk.page.elements(door).isEmpty)
            try await desk.open("/map?day=every&store=nordhavn-\(delivery.number)")
            try await desk.page.reload()
            try await desk.page.expect(door)
            let store = try await desk.page.element("[name=store]").property("value", as: String.self)
            #expect(store == "nordhavn-\(delivery.number)")

            // By keyboard, by Shift and a click, by Shift and a drag.
            try await desk.open("/map")
            try await desk.page.expect("#map .mark.group")
            try await desk.page.execute("document.querySelector('#map .mark.group').focus()")
            try await desk.page.type("x")
            try await desk.expect("#choosing-status", contains: "8 chosen")
            try await desk.page.expect("#map .mark.group.chosen:focus")
            try await desk.page.execute(
                "document.querySelector('#map .mark.group').dispatchEvent("
                    + "new MouseEvent('click', {bubbles: true, cancelable: true, shiftKey: true}))")
            try await desk.page.waitUntil("none is chosen") {
                try await desk.page.element("#choosing-status").text.isEmpty
            }
            try await desk.page.execute(Self.dragOverAll)
            try await desk.expect("#choosing-status", contains: "12 chosen")
            try await delivery.expectAccessible(desk.page)
            // A chosen door that leaves the map stays chosen, and is ticked when it is back.
            try await desk.page.execute(Self.leavesDoorOut)
            try await desk.expect("#choosing-status", contains: "12 chosen, 1 of them not shown")
            try await desk.page.expect("#forget-left:not([hidden])")
            try await desk.page.execute("window.fetch = window.completeFetch")
            try await desk.page.waitUntil("every chosen door is shown") {
                try await desk.page.element("#choosing-status").text == "12 chosen"
            }
            try await desk.page.waitUntil("a map that was away says when it was drawn, and not when it noticed") {
                try await desk.page.execute(Self.showsTimeDrawn, as: Bool.self)
            }
            try await desk.page.click("#act")

            let chosen = "[name=delivery]:checked"
            try await desk.page.waitUntil("the board has the chosen doors alone") {
                let all = try await desk.page.elements("[name=delivery]").count
                return try await desk.page.elements(chosen).count == 12 && all == 12
            }
            try await desk.page.type("storm", into: "#bulk [name=reason]")
            try await desk.page.click("#bulk button")
            try await desk.expect("main", contains: "Do it to 12")
            try await delivery.expectSilentConsole(desk.page)
        }
    }

    /// Leaves a door out of what the map reads.
    private static let leavesDoorOut = """
        window.completeFetch = window.fetch;
        window.fetch = async (...given) => {
          const answer = await window.completeFetch(...given);
          if (given[0] !== document.getElementById("map").dataset.places) { return answer; }
          const places = await answer.json();
          places.doors.pop();
          return Response.json(places);
        };
        """

    /// Whether the map names the day and the hour of its last answer, with every further read lost and noticed on
    /// another day.
    private static let showsTimeDrawn = """
        const now = window.formerDate = window.formerDate ?? Date;
        window.fetch = () => {
          window.Date = class extends now {
            constructor(...given) { super(...(given.length > 0 ? given : [now.now() + 30 * 3600000])); }
          };
          return Promise.reject(new TypeError("lost"));
        };
        const { timeZone } = document.getElementById("map").dataset;
        const text = (time, options) => new Intl.DateTimeFormat("en-GB", { ...options, timeZone }).format(time);
        const shown = document.getElementById("map-status").textContent.match(/since (.*), (\\d\\d):/);
        return shown !== null && [0, 120000].some((age) =>
          text(now.now() - age, { day: "numeric", month: "short" }) === shown[1]
          && text(now.now() - age, { hour: "2-digit", hourCycle: "h23" }) === shown[2]);
        """

    /// Counts labels that cover another label or a mark; -1 where no label is shown.
    private static let labelFaults = """
        const shown = [...document.querySelectorAll("#map .mark .tag")]
          .filter((tag) => tag.textContent && getComputedStyle(tag).display !== "none");
        const box = (element) => element.getBoundingClientRect();
        const cover = (one, other) => one.left + 1 < other.right && other.left + 1 < one.right
          && one.top + 1 < other.bottom && other.top + 1 < one.bottom;
        if (shown.length === 0) { return -1; }
        const others = [...shown, ...document.querySelectorAll("#map .mark")];
        return shown.filter((tag) => others.some((other) => other !== tag && cover(box(tag), box(other)))).length;
        """

    /// Whether each group is apart from every courier, and the marks take more than half of the map one way or the other.
    private static let isReadable = """
        const centre = (element) => {
          const box = element.getBoundingClientRect();
          return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
        };
        const all = (kind) => [...document.querySelectorAll("#map .mark" + kind)].map(centre);
        const apart = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1]) > 26;
        const span = (axis) => Math.max(...all("").map((at) => at[axis])) - Math.min(...all("").map((at) => at[axis]));
        const map = document.getElementById("map");
        return all(".group").every((group) => all(".courier").every((courier) => apart(group, courier)))
          && (span(0) > map.clientWidth / 2 || span(1) > map.clientHeight / 2);
        """

    /// Draws a box over the whole map.
    private static let dragOverAll = """
        const map = document.getElementById("map");
        const area = map.getBoundingClientRect();
        const fire = (target, kind, x, y) => target.dispatchEvent(new MouseEvent(
          kind, { bubbles: true, cancelable: true, shiftKey: true, button: 0, clientX: x, clientY: y }));
        fire(map, "mousedown", area.left + 2, area.top + 2);
        fire(document, "mousemove", area.right - 2, area.bottom - 2);
        fire(document, "mouseup", area.right - 2, area.bottom - 2);
        """
}

extension OpenDelivery {
    /// Places an order of another customer at the same store.
    fileprivate func placeOrder(
        _ number: Int, latitude: Double, longitude: Double, days: Double
    ) async throws -> DeliveryID {
        let name = "map-\(self.number)-\(number)"
        let start = stack.clock.now.addingTimeInterval(1_200 + 86_400 * days)
        let milk = PlaceOrderBody.Line(id: try #require(ItemID(rawValue: "milk")), name: "Milk")
        let body = PlaceOrderBody(
            reference: "M-\(self.number)\(100 + number)", customer: try #require(CustomerID(rawValue: name)),
            store: Store(
                id: try #require(StoreID(rawValue: "nordhavn-\(self.number)")), name: "Nordhavn",
                location: try #require(Coordinate(latitude: 55.7085, longitude: 12.5942)),
                timeZone: "Europe/Copenhagen", currency: CurrencyCode(rawValue: "DKK")),
            promise: try #require(Promise(start: start, end: start.addingTimeInterval(1_800))),
            door: try #require(Coordinate(latitude: latitude, longitude: longitude)), handoff: nil,
            deliveries: [.init(items: [milk])])
        let order: OrderBody = try await stack.asStore.send(
            .POST, .orders, "/v1/orders", body, headers: ["Idempotency-Key": name])
        return try #require(order.deliveries.first).id
    }
}
