import Foundation
import Testing
import TimePresentation

@Suite("Times as people read them")
struct TimePresentationTests {
    /// 17:00:07 UTC on 21 November, 18:00:07 in Copenhagen.
    private static let date = Date(timeIntervalSince1970: 1_795_280_407)

    @Test("A time of day is that of the zone, in two digits each")
    func clock() throws {
        let copenhagen = try #require(TimeZone(identifier: "Europe/Copenhagen"))
        #expect(Self.date.clock(in: .gmt) == "17:00")
        #expect(Self.date.clock(in: copenhagen, withSeconds: true) == "18:00:07")
        #expect(Self.date.addingTimeInterval(-9 * 3_600).clock(in: .gmt) == "08:00")
    }

    @Test(
        "How long ago is in whole units, and never in the future",
        arguments: [
            (-60, "just now"), (59, "just now"), (60, "1 min ago"), (3_599, "59 min ago"), (7_500, "2 h 5 min ago"),
            (86_399, "23 h 59 min ago"), (86_400, "1 d ago"), (266_400, "3 d ago"),
        ] as [(TimeInterval, String)])
    func ago(seconds: TimeInterval, text: String) {
        #expect(Self.date.ago(Self.date.addingTimeInterval(seconds)) == text)
    }

    @Test("A time of another day has its date, by the store's midnight")
    func dates() {
        let times = StoreTimes(timeZone: "Europe/Copenhagen", now: Self.date)
        #expect(times.zoneName == "Europe/Copenhagen")
        #expect(times.text(Self.date.addingTimeInterval(5 * 3_600)) == "23:00")
        #expect(times.text(Self.date.addingTimeInterval(6.5 * 3_600)) == "22 Nov 00:30")
        #expect(times.text(Self.date.addingTimeInterval(-24 * 3_600), withSeconds: true) == "20 Nov 18:00:07")
    }

    @Test("A zone that is not known here counts as UTC")
    func unknownZone() {
        let times = StoreTimes(timeZone: "Mars/Olympus", now: Self.date)
        #expect(times.zoneName == "UTC")
        #expect(times.text(Self.date) == "17:00")
    }
}
