import OrderDomain
import Testing

@testable import Orders

@Suite("Stores whose customers see their courier")
struct CourierVisibilityTests {
    private func delivery(stopsBefore: Int = 0) throws -> Delivery {
        var delivery = try Delivery.sample()
        try delivery.advance(to: .enRoute)
        if stopsBefore > 0 { try delivery.change(.stopsBefore(stopsBefore)) }
        return delivery
    }

    @Test("A list names stores with their stops, a star every store, and nothing no store")
    func lists() throws {
        let cases: [(String, [Bool])] = [
            ("nordhavn", [true, false, false]), ("valby, nordhavn : 1", [true, true, false]),
            ("*:2", [true, true, true]), ("*", [true, false, false]), ("valby:2", [false, false, false]),
        ]
        for (text, shown) in cases {
            let visibility = try #require(CourierVisibility(customers: text))
            #expect(try (0...2).map { visibility.showsCourier(of: try delivery(stopsBefore: $0)) } == shown, "\(text)")
        }
        #expect(try !CourierVisibility().showsCourier(of: delivery()))
    }

    @Test("A forwarded link has a map only where the store wants it, and no link after the end")
    func forwarded() throws {
        var delivery = try delivery()
        let own = Link.details(of: delivery.id, promiseEnd: delivery.promise.end)
        let shared = Link.view(of: delivery.id, number: 1)
        let (plain, both) = (
            try #require(CourierVisibility(customers: "*")),
            try #require(CourierVisibility(customers: "*", forwarded: "nordhavn"))
        )
        #expect(plain.hasMap(own, of: delivery) && !plain.hasMap(shared, of: delivery))
        #expect(both.hasMap(own, of: delivery) && both.hasMap(shared, of: delivery))
        #expect(!CourierVisibility().hasMap(own, of: delivery))
        try delivery.change(.status(.delivered, reason: nil))
        #expect(!both.hasMap(own, of: delivery) && !both.hasMap(shared, of: delivery))
    }

    @Test(
        "A text of another form is none",
        arguments: [
            "", "nordhavn,", "*, nordhavn", "a/b", "nordhavn:", "nordhavn:-1", "nordhavn:21", "nordhavn:x",
            "nordhavn,nordhavn:1",
        ])
    func malformed(text: String) {
        #expect(CourierVisibility(customers: text) == nil)
        #expect(CourierVisibility(customers: "*", forwarded: text) == nil)
    }

    @Test("Stops are of customers, not of forwarded links")
    func forwardedStops() { #expect(CourierVisibility(customers: "*", forwarded: "nordhavn:1") == nil) }
}
