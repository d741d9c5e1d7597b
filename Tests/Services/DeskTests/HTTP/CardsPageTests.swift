import DeliveryDiagnosis
import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import OrderDomain
import TestSupport
import Testing

@testable import Desk

@Suite("The page of cards in numbers", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct CardsPageTests {
    private static let figures = CardReportBody.Figures(
        deliveries: 40, deliveriesWithCard: 34,
        devices: .init(allowed: 33, notAsked: 3, refused: 2, switchedOff: 1, disallowed: 4), started: 37, cards: 36,
        swiped: 2, ends: .init(cards: 33, onTime: 32), screen: .init(cards: 33, minutes: 1_980),
        starts: .init(pushed: 30, shown: 29, neverShown: 1, p50Seconds: 2, p90Seconds: 10),
        changes: .init(
            pushed: 210, shown: 160, within5Seconds: 140, within30Seconds: 152, p50Seconds: 2, p90Seconds: 15),
        late: .init(throttle: 3, budget: 2, offline: 17, noToken: 1, other: 0))

    private static func report() throws -> CardReportBody {
        CardReportBody(
            day: "2026-11-21", asOf: SampleDeliveries.placedAt, countedUntil: SampleDeliveries.placedAt,
            isFinal: false, figures: figures,
            stores: [
                .init(
                    store: try #require(StoreID(rawValue: "nordhavn")), name: "Nordhavn <Kaj>",
                    timeZone: "Europe/Copenhagen", date: "2026-11-21", isFinal: false, figures: figures)
            ],
            versions: [.init(kind: "app_version", value: "<4.2>", figures: figures)], groups: [])
    }

    private static func day(presses: [DayReportBody.Press]?) -> DayReportBody {
        DayReportBody(
            day: "2026-11-21", asOf: SampleDeliveries.placedAt, placed: 0,
            figures: .init(
                delivered: 0, early: 0, inWindow: 0,
                late: .init(upTo5Minutes: 0, upTo15Minutes: 0, upTo30Minutes: 0, over30Minutes: 0), attempts: 0,
                cancelled: 0, returned: 0, failed: 0),
            stores: [], couriers: [], cancellations: [], presses: presses)
    }

    @Test("Each chart is an image with its numbers as its label, and has its table; names are text")
    func charts() async throws {
        try await DeskUnderTest.run { desk, client in
            let query = "?day=2026%2D11%2D21&store=nordhavn"
            try desk.services.answer("activity-dispatch", "/v1/cards/report\(query)", try Self.report())
            try desk.services.answer(
                "orders", "/v1/report\(query)", Self.day(presses: [.init(verb: "leave-at-door", count: 7)]))
            let html = try await desk.browser(client).get("/cards?date=2026-11-21&store=nordhavn").html
            let labels = html.matches(of: /<svg role="img" aria-label="([^"]+)"/).map { String($0.output.1) }
            #expect(labels.count == 5)
            #expect(labels.contains { $0.contains("Offline 17") && $0.contains("Late changes by cause") })
            #expect(labels.contains { $0.contains("leave-at-door 7") })
            #expect(html.contains("<th scope=\"row\">Offline</th><td>17</td>"))
            #expect(html.contains("Nordhavn &lt;Kaj&gt;") && html.contains("app &lt;4.2&gt;"))
            #expect(html.contains("once more when the day is complete") && !html.contains("<Kaj>"))
            #expect(!html.contains(" style="), "the policy allows no inline style")
        }
    }

    @Test("Without orders the page has the totals, and says that presses are not known")
    func withoutOrders() async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.answer("activity-dispatch", "/v1/cards/report", try Self.report())
            let html = try await desk.browser(client).get("/cards").html
            #expect(html.contains("Presses of the day are not known") && html.contains("<td>210</td>"))
        }
    }

    @Test("The longest bar has the whole width, and none is longer")
    func bars() throws {
        let chart = CardReportBody.Chart(
            title: "T", bars: [.init(name: "a", count: 0), .init(name: "b", count: 10), .init(name: "c", count: 5)])
        let bars = try #require(BarChart(chart: chart).values["bars"] as? [[String: Any]])
        #expect(bars.map { $0["length"] as? Int } == [0, 150, 75])
        let empty = try #require(
            BarChart(chart: .init(title: "T", bars: [.init(name: "a", count: 0)])).values["bars"] as? [[String: Any]])
        #expect(empty.map { $0["length"] as? Int } == [0])
    }
}
