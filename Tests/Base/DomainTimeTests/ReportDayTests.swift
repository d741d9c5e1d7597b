import Foundation
import Testing

@testable import DomainTime

@Suite("The day of a report")
struct ReportDayTests {
    private static let copenhagen = TimeZone(identifier: "Europe/Copenhagen").unsafelyUnwrapped
    private static let now = date("2026-11-21T23:30:00Z")

    private static func date(_ text: String) -> Date { (try? Date(text, strategy: .iso8601)) ?? .distantPast }

    @Test("Today and yesterday are those of the store's time zone")
    func zones() throws {
        let today = ReportDay.today.localDay(in: Self.copenhagen, now: Self.now)
        #expect(today.date == "2026-11-22" && today.start == Self.date("2026-11-21T23:00:00Z"))
        #expect(today.end == Self.date("2026-11-22T23:00:00Z"))
        #expect(ReportDay.today.localDay(in: .gmt, now: Self.now).date == "2026-11-21")
        #expect(ReportDay.yesterday.localDay(in: Self.copenhagen, now: Self.now).date == "2026-11-21")
        #expect(today.contains(today.start) && !today.contains(today.end))
    }

    @Test(
        "A day on which the clocks change has 23 or 25 hours, and one without a midnight begins with its first hour",
        arguments: [
            ("2026-03-29", "Europe/Copenhagen", 23.0), ("2026-10-25", "Europe/Copenhagen", 25),
            ("2026-06-01", "Europe/Copenhagen", 24), ("2018-11-04", "America/Sao_Paulo", 23),
        ])
    func hours(date: String, zone: String, hours: Double) throws {
        let day = try #require(ReportDay(rawValue: date))
        let local = day.localDay(in: try #require(TimeZone(identifier: zone)), now: Self.now)
        #expect(local.date == date && local.end.timeIntervalSince(local.start) == hours * 3_600)
    }

    @Test(
        "Texts that name no day are refused",
        arguments: ["", "tomorrow", "2026-02-30", "2026-1-1", "26-01-01", "a-b-c"])
    func refused(text: String) {
        #expect(ReportDay(rawValue: text) == nil)
    }

    @Test("A day is written as it is read", arguments: ["today", "yesterday", "2026-02-28"])
    func roundTrips(text: String) {
        #expect(ReportDay(rawValue: text)?.rawValue == text)
    }
}
