import DeliverySamples
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Desk

@Suite("The filter of the map")
struct MapFilterTests {
    /// Quarter past six in the evening in Copenhagen.
    private static let now = SampleDeliveries.at(15)

    private static func entry(
        _ number: Int = 1, startsIn hours: Double = 1, _ changes: [DeliveryChange] = [], lane: Lane = .fine
    ) throws -> Board.Entry {
        let start = now.addingTimeInterval(hours * 3_600)
        let promise = try #require(Promise(start: start, end: start.addingTimeInterval(1_800)))
        let row = BoardBody.Row(
            SampleDeliveries.whole(number: number, [.promise(promise)] + changes), risk: .onTime, estimate: nil,
            cards: nil, for: Principal(.operator("ada")))
        return Board.Entry(row: row, triage: .none, lane: lane, revision: 1)
    }

    @Test("Tomorrow's doors are off the map unless their day or every day is asked for")
    func days() throws {
        let (past, today, tomorrow) = try (
            Self.entry(startsIn: -30), Self.entry(startsIn: 5), Self.entry(startsIn: 15)
        )
        func shown(_ text: String?) -> [Bool] {
            [past, today, tomorrow].map { MapFilter(day: MapDay(text)).includes($0, at: Self.now) }
        }
        #expect(shown(nil) == [true, true, false])
        #expect(shown("every") == [true, true, true])
        #expect(shown("2026-11-22") == [false, false, true])
        #expect(shown("2026-11-21") == [false, true, false])
        #expect(shown("2026-11-22'><script>") == [true, true, false], "what is no day is today")
        #expect(MapDay.later([past, today, tomorrow].map(\.row), at: Self.now) == ["2026-11-22"])
    }

    @Test("What a courier is on the way with is on the map whatever its day, and so is what starts within four hours")
    func underWay() throws {
        let assigned: [DeliveryChange] = [.courier(SampleDeliveries.mira)]
        #expect(try !MapFilter().includes(Self.entry(startsIn: 15, assigned), at: Self.now))
        #expect(try MapFilter().includes(Self.entry(startsIn: 15, SampleDeliveries.toEnRoute), at: Self.now))
        let night = Self.now.addingTimeInterval(5 * 3_600)
        #expect(try MapFilter().includes(Self.entry(startsIn: 7), at: night), "an hour past midnight")
    }

    @Test("A store, a courier and a lane leave their doors, and the couriers of these")
    func fields() throws {
        let (mira, other) = try (
            Self.entry(1, [.courier(SampleDeliveries.mira)], lane: .late), Self.entry(2)
        )
        var filter = MapFilter()
        #expect(filter.includes(SampleDeliveries.mira.id, with: [], shown: []), "without a filter each courier")
        filter.board.courier = "mira"
        #expect(filter.includes(mira, at: Self.now) && !filter.includes(other, at: Self.now))
        #expect(filter.includes(SampleDeliveries.mira.id, with: [], shown: []), "a named courier is found")
        filter.board.courier = nil
        filter.board.lane = .late
        #expect(filter.includes(mira, at: Self.now) && !filter.includes(other, at: Self.now))
        #expect(filter.includes(SampleDeliveries.mira.id, with: [mira.row.id], shown: [mira.row.id]))
        #expect(!filter.includes(SampleDeliveries.mira.id, with: [other.row.id], shown: [mira.row.id]))
        filter.board.store = "amager"
        #expect(!filter.includes(mira, at: Self.now))
    }

    @Test("The line above the map counts what is on it, and by its reason what is not")
    func counts() throws {
        let entries = try [
            Self.entry(1), Self.entry(2, startsIn: 15), Self.entry(3, startsIn: 15), Self.entry(4, lane: .late),
        ]
        func text(_ filter: MapFilter) -> String { MapCount(entries, filter, at: Self.now).text }
        #expect(text(MapFilter()) == "2 of 4 live deliveries are on the map; 2 are for another day")
        #expect(text(MapFilter(day: .every)) == "4 of 4 live deliveries are on the map")
        var filter = MapFilter()
        filter.board.lane = .fine
        #expect(
            text(filter) == "1 of 4 live deliveries are on the map; 2 are for another day, 1 is left out by the filter")
    }

    @Test("Its address leads to the same filter")
    func query() {
        var filter = MapFilter()
        #expect(filter.query.isEmpty)
        filter.day = .every
        #expect(filter.query == "?day=every")
        filter.board.store = "nord havn"
        filter.day = .date("2026-11-22")
        #expect(filter.query == "?store=nord%20havn&day=2026-11-22")
        #expect(MapDay(filter.day.text) == filter.day && MapDay(MapDay.today.text) == .today)
    }
}
