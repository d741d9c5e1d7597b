import Foundation
import Testing
import TimePresentation

@Suite("Times as people read them")
struct TimePresentationTests {
    /// 17:00:07 UTC on 21 November, 18:00:07 in Copenhagen.
    private static let date = Date(timeIntervalSince1970: 1_795_280_407)

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
        #expect(times.text(Self.date.addingTimeInterval(-9 * 3_600)) == "09:00")
        #expect(times.isToday(Self.date.addingTimeInterval(5 * 3_600)))
        #expect(!times.isToday(Self.date.addingTimeInterval(6.5 * 3_600)))
    }

    @Test("A window's end has a day where it is not that of the start")
    func windows() {
        let times = StoreTimes(timeZone: "Europe/Copenhagen", now: Self.date)
        func window(_ from: TimeInterval, _ to: TimeInterval) -> String {
            times.text(from: Self.date.addingTimeInterval(from * 3_600), to: Self.date.addingTimeInterval(to * 3_600))
        }
        #expect(window(1, 2) == "19:00 to 20:00")
        #expect(window(24, 25) == "22 Nov 18:00 to 19:00")
        #expect(window(5, 7) == "23:00 to 22 Nov 01:00")
        #expect(window(-19, -17) == "20 Nov 23:00 to 21 Nov 01:00")
        #expect(window(400 * 24, 400 * 24 + 1) == "26 Dec 2027 18:00 to 19:00")
    }

    @Test("The hour that comes twice is told apart")
    func autumn() {
        let before = Date(timeIntervalSince1970: 1_792_890_000 - 30 * 60)
        let times = StoreTimes(timeZone: "Europe/Copenhagen", now: before)
        #expect(times.text(before) == "02:30 (UTC+2)")
        #expect(times.text(from: before, to: before + 3_600) == "02:30 (UTC+2) to 02:30 (UTC+1)")
        #expect(times.text(before - 3_600) == "01:30" && times.text(before + 2 * 3_600) == "03:30")
    }

    @Test("A zone that is not known here counts as UTC")
    func unknownZone() {
        let times = StoreTimes(timeZone: "Mars/Olympus", now: Self.date)
        #expect(times.zoneName == "UTC")
        #expect(times.text(Self.date) == "17:00")
    }
}
