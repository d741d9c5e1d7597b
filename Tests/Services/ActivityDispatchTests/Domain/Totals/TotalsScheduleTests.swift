import Foundation
import Testing

@testable import ActivityDispatch

@Suite("When the hours and days of cards are counted")
struct TotalsScheduleTests {
    /// The midnight of UTC before ``noon``.
    private let midnight = noon - 12 * 3_600

    @Test("It begins with the day of the first end")
    func beginning() {
        let schedule = TotalsSchedule(startingAt: noon)
        #expect(schedule.countedUntil == midnight && schedule.finalUntil == midnight)
    }

    @Test("An hour is due a quarter of an hour after its end")
    func hour() throws {
        let schedule = TotalsSchedule(startingAt: noon)
        #expect(schedule.due(at: midnight + 3_600 + 899) == nil)
        let span = try #require(schedule.due(at: midnight + 3_600 + 900))
        #expect(span.start == midnight && span.end == midnight + 3_600 && !span.isFinal)
        #expect(span.contains(midnight) && !span.contains(midnight + 3_600))
    }

    @Test("Hours follow each other, and a day replaces its hours once no report changes it")
    func days() {
        var schedule = TotalsSchedule(startingAt: noon)
        var spans: [TotalsSchedule.Span] = []
        // Each quarter of an hour of four days.
        for quarter in 0..<(4 * 24 * 4) {
            while let span = schedule.due(at: midnight + Double(quarter) * 900) {
                spans.append(span)
                schedule = schedule.after(span)
            }
        }
        let days = spans.filter(\.isFinal)
        #expect(days.map(\.start) == [midnight, midnight + TotalsSchedule.day])
        #expect(spans.filter { !$0.isFinal }.count == 95)
        #expect(schedule.countedUntil == midnight + 95 * 3_600)
    }

    @Test("After an outage whole days come first, and no hour of them")
    func catchingUp() {
        var schedule = TotalsSchedule(startingAt: noon)
        let now = midnight + 10 * TotalsSchedule.day
        var spans: [TotalsSchedule.Span] = []
        while let span = schedule.due(at: now) {
            spans.append(span)
            schedule = schedule.after(span)
        }
        #expect(spans.filter(\.isFinal).count == 8)
        #expect(spans.drop(while: \.isFinal).first?.start == midnight + 8 * TotalsSchedule.day)
        #expect(schedule.finalUntil == midnight + 8 * TotalsSchedule.day)
    }
}
