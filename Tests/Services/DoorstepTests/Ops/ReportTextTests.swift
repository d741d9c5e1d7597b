import CommaSeparatedValues
import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Doorstep

@Suite("The text of a day's report")
struct ReportTextTests {
    private static let asOf = Date(timeIntervalSince1970: 1_795_280_400)

    private static func report(reason: String) throws -> DayReportBody {
        let figures = DayReportBody.Figures(
            delivered: 3, early: 1, inWindow: 1,
            late: .init(upTo5Minutes: 0, upTo15Minutes: 1, upTo30Minutes: 0, over30Minutes: 0), attempts: 2,
            cancelled: 1, returned: 0, failed: 0, lastEstimate: .init(arrivals: 2, meanSeconds: 40),
            feedback: DayReportBody.Feedback([.allRight: 2, .missing: 1]))
        return DayReportBody(
            day: "today", asOf: asOf, placed: 5, figures: figures,
            stores: [
                .init(
                    store: try #require(StoreID(rawValue: "nordhavn")), name: "Nordhavn, Kaj 7",
                    timeZone: "Europe/Copenhagen", date: "2026-11-21", start: asOf - 64_800, end: asOf + 21_600,
                    placed: 5, figures: figures)
            ],
            couriers: [
                .init(courier: try #require(CourierID(rawValue: "mira")), name: "@Mira", figures: figures)
            ],
            cancellations: [.init(reason: reason, count: 1)])
    }

    @Test("Its table has the total, the stores and the couriers, and the reasons follow")
    func table() throws {
        let lines = try Self.report(reason: "customer_request").text().split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
        #expect(lines[0] == "today, 2026-11-21 in Europe/Copenhagen, as of 18:00:00 Europe/Copenhagen")
        #expect(lines[2].contains("PLACED") && lines[2].contains("ATTEMPTS"))
        #expect(lines[3].hasPrefix("total") && lines[4].hasPrefix("Nordhavn") && lines[5].hasPrefix("@Mira"))
        #expect(lines[5].contains("–"), "what is placed has no courier yet")
        #expect(lines.last?.hasPrefix("as the customer asked") == true)
    }

    @Test("A narrow terminal leaves out the bands of lateness first, and breaks no line")
    func narrow() throws {
        let lines = try Self.report(reason: "customer_request").text(columnsMax: 80).split(separator: "\n")
        #expect(lines.allSatisfy { String($0).columns <= 80 })
        #expect(lines.contains { $0.hasPrefix("left out: ≤ 5 MIN, ≤ 15, ≤ 30, > 30") })
        #expect(lines.contains { $0.contains("DELIVERED") && $0.contains("LATE") && $0.contains("CANCELLED") })
    }

    @Test("Its comma-separated values run no formula of a name or a reason")
    func csv() throws {
        #expect(try Self.report(reason: "customer_request").csv.text.contains("cancellation,,customer_request,"))
        let text = try Self.report(reason: "=1+1").csv.text
        let lines = text.replacing("\r\n", with: "\n").split(separator: "\n")
        #expect(lines[0].hasPrefix("row,id,name,date,time_zone,placed,delivered,early,in_window,late,"))
        #expect(lines[0].contains(",failed,all_right,problems,missing,damaged,not_mine,not_here,"))
        #expect(lines[0].hasSuffix("not_here,last_estimate_error_seconds,ten_minute_estimate_error_seconds"))
        #expect(lines[1] == "total,,total,,,5,3,1,1,1,0,1,0,0,2,1,0,0,2,1,1,0,0,0,40,")
        #expect(lines[2].hasPrefix("store,nordhavn,\"Nordhavn, Kaj 7\",2026-11-21,Europe/Copenhagen,5,3"))
        #expect(lines[3].hasPrefix("courier,mira,'@Mira,,,,3"))
        #expect(lines[4] == "cancellation,,'=1+1,,,,,,,,,,,,,1,,,,,,,,,,")
    }
}
