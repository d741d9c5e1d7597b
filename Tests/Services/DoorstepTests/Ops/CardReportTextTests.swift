import CommaSeparatedValues
import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Doorstep

@Suite("The text of a day's cards")
struct CardReportTextTests {
    private static let asOf = Date(timeIntervalSince1970: 1_795_280_400)

    private static func figures(isPushed: Bool = true) -> CardReportBody.Figures {
        CardReportBody.Figures(
            deliveries: 40, deliveriesWithCard: 34,
            devices: .init(allowed: 33, notAsked: 3, refused: 2, switchedOff: 1, disallowed: 4), started: 37, cards: 36,
            swiped: 5, ends: .init(cards: 33, onTime: 32), screen: .init(cards: 31, minutes: 1_980),
            starts: isPushed ? .init(pushed: 30, shown: 29, neverShown: 1, p50Seconds: 2, p90Seconds: nil) : nil,
            changes: isPushed
                ? .init(
                    pushed: 210, shown: 160, within5Seconds: 140, within30Seconds: 152, p50Seconds: 2,
                    p90Seconds: 15) : nil,
            late: isPushed ? .init(throttle: 3, budget: 2, offline: 17, noToken: 1, other: 0) : nil)
    }

    private static func report(presses: [DayReportBody.Press]?) throws -> CardReport {
        let store = try #require(StoreID(rawValue: "nordhavn"))
        let body = CardReportBody(
            day: "today", asOf: asOf, countedUntil: asOf - 1_800, isFinal: false, figures: figures(),
            stores: [
                .init(
                    store: store, name: "Nordhavn, Kaj 7", timeZone: "Europe/Copenhagen", date: "2026-11-21",
                    isFinal: false, figures: figures())
            ],
            versions: [
                .init(kind: "app_version", value: "=4.2", figures: figures()),
                .init(kind: "transport", value: "stream", figures: figures(isPushed: false)),
                .init(kind: "tomorrow", value: "x", figures: figures()),
            ],
            groups: [
                .init(store: store, appVersion: "4.2", osVersion: nil, transport: "apns", figures: figures())
            ])
        return CardReport(cards: body, presses: presses)
    }

    private static func lines(_ text: String) -> [String] {
        text.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
    }

    @Test("Its table has the total, the stores and the versions; presses follow, and a dash is what nothing records")
    func table() throws {
        let lines = Self.lines(try Self.report(presses: [.init(verb: "cancel", count: 2)]).text())
        #expect(lines[0].hasPrefix("today, 2026-11-21 in Europe/Copenhagen, counted until 17:30 Europe/Copenhagen"))
        #expect(lines[1].contains("DELIVERIES") && lines[1].contains("START REPORTED P90 S"))
        #expect(lines[2].hasPrefix("total") && lines[3].hasPrefix("Nordhavn") && lines[4].hasPrefix("app =4.2"))
        #expect(
            lines[5].hasPrefix("by stream") && lines[5].contains("–") && !lines.contains { $0.contains("tomorrow") })
        #expect(lines.last?.hasPrefix("cancel") == true)
        #expect(try Self.report(presses: nil).text().contains("Presses of the day are not known"))
    }

    @Test("A narrow terminal leaves columns out, and breaks no line")
    func narrow() throws {
        let lines = Self.lines(try Self.report(presses: []).text(columnsMax: 80)).dropFirst()
        #expect(lines.allSatisfy { $0.columns <= 80 })
        #expect(lines.contains { $0.contains("DELIVERIES") && $0.contains("LATE") })
    }

    @Test("Its comma-separated values have each store with each version, and run no formula")
    func csv() throws {
        let lines = Self.lines(try Self.report(presses: [.init(verb: "cancel", count: 2)]).csv.text)
        #expect(lines[0].hasPrefix("row,store,name,date,time_zone,app_version,os_version,transport,deliveries,"))
        #expect(lines[0].hasSuffix(",screen_cards,screen_minutes,presses"))
        let numbers = "40,34,33,3,2,1,4,37,36,30,29,1,2,,210,160,140,152,23,3,2,17,1,0,5,33,32,31,1980,"
        #expect(lines[1] == "total,,total,,,,,,\(numbers)")
        #expect(lines[2] == "store,nordhavn,\"Nordhavn, Kaj 7\",2026-11-21,Europe/Copenhagen,,,,\(numbers)")
        #expect(lines[3] == "app_version,,app =4.2,,,'=4.2,,,\(numbers)")
        #expect(lines[4].contains(",stream,40,34,33,3,2,1,4,37,36,,,,,,,,,,,,,,,,5,33,32,31,1980,"))
        #expect(lines[5] == "group,nordhavn,\"Nordhavn, Kaj 7\",2026-11-21,Europe/Copenhagen,4.2,,apns,\(numbers)")
        #expect(lines[6] == "press,,cancel,,,,,," + String(repeating: ",", count: 29) + "2")
        #expect(Set(lines.map { $0.replacing("\"Nordhavn, Kaj 7\"", with: "x").count { $0 == "," } }).count == 1)
    }
}
