import Foundation
import Testing

@testable import Desk

@Suite("The filter of events")
struct EventFilterTests {
    private static let now = Date(timeIntervalSince1970: 1_795_280_400)

    @Test("A filter is in its URL, and services get its time as an instant")
    func queries() {
        let filter = EventFilter(minutes: 10, store: "nordhavn", reference: "G 1&2")
        #expect(filter.query == "?since=10&store=nordhavn&reference=G%201%262")
        #expect(
            filter.servicesQuery(now: Self.now)
                == "?order=newest&since=2026%2D11%2D21T16%3A50%3A00%2E000Z&notices=false&store=nordhavn&reference=G%201%262"
        )
        #expect(EventFilter().query == "")
        #expect(filter.replacing(cursor: "a=").query.hasSuffix("&cursor=a%3D"))
    }

    @Test(
        "Notices are left out unless a kind is asked for, or every kind",
        arguments: [(nil, "&notices=false"), ("all", ""), ("milestone", "&kind=milestone")] as [(String?, String)])
    func notices(kind: String?, query: String) {
        #expect(EventFilter(kind: kind).servicesQuery(now: Self.now) == "?order=newest" + query)
    }
}
