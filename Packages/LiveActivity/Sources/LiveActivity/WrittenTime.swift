public import Foundation

/// A time as a reader in one place needs it: a clock time, with the parts that make it unambiguous.
///
/// This is the one place that decides when a time is written with its day, and when its clock time comes twice. It uses
/// the time zone's offsets alone, so that it decides the same on every system.
public struct WrittenTime: Hashable, Sendable {
    /// 24 hours, `18:24` or `18:24:07`; with the offset from UTC, `02:30 (UTC+2)`, where the clocks of the place show
    /// the same time twice, because they are set back.
    public let clock: String
    /// Whether the clocks of the place show the time twice.
    public let comesTwice: Bool
    /// Nil where a reader assumes the right day already.
    public let day: Day?

    let time: ClockTime
    /// The offset from UTC behind the clock time; empty where the clock time is unambiguous without it.
    let offset: String

    /// A date in the Gregorian calendar.
    public struct Day: Hashable, Sendable {
        /// Nil within 180 days of the reader's day.
        public let year: Int?
        /// The month, from 1.
        public let month: Int
        /// The day of the month, from 1.
        public let day: Int
        /// 0 is Monday.
        public let weekday: Int
    }

    /// - Parameters:
    ///   - epochSeconds: the time; one outside the years 1 to 9999 counts as their first or last second.
    ///   - now: the time of reading, epoch seconds: a time on that day is written without a day.
    ///   - earlier: the time before it in the same text, epoch seconds: a time on that day is written without a day, a
    ///     time on another day with it.
    public init(
        _ epochSeconds: Int, in timeZone: TimeZone, now: Int, after earlier: Int? = nil, withSeconds: Bool = false
    ) {
        self.init(epochSeconds, Reading(in: timeZone, now: now), after: earlier, withSeconds: withSeconds)
    }

    /// The same for a reader, whose time zone may be unknown here: the time is in UTC then, and has its offset.
    init(_ epochSeconds: Int, _ reading: Reading, after earlier: Int? = nil, withSeconds: Bool = false) {
        let timeZone = reading.timeZone
        time = ClockTime(epochSeconds, in: timeZone)
        comesTwice = ClockTime.comesTwice(epochSeconds, in: timeZone)
        offset = comesTwice || !reading.isZoneKnown ? " (\(Self.text(ofOffset: time.offset)))" : ""
        clock = time.text(withSeconds: withSeconds) + offset
        day =
            time.day == ClockTime(earlier ?? reading.now, in: timeZone).day
            ? nil : Day(time, today: ClockTime(reading.now, in: timeZone).day)
    }

    /// `UTC`, `UTC+2` or `UTC-3:30`.
    private static func text(ofOffset seconds: Int) -> String {
        let minutes = abs(seconds) / 60
        guard minutes > 0 else { return "UTC" }
        let rest = minutes % 60
        return "UTC\(seconds < 0 ? "-" : "+")\(minutes / 60)" + (rest == 0 ? "" : ":\(rest < 10 ? "0" : "")\(rest)")
    }
}

extension WrittenTime.Day {
    /// Days from the reader's within which a date needs no year.
    private static let daysWithoutYearMax = 180

    init(_ time: ClockTime, today: Int) {
        let date = time.date
        year = abs(time.day - today) > Self.daysWithoutYearMax ? date.year : nil
        month = date.month
        day = date.day
        weekday = time.weekday
    }
}

/// The place and time of a text's reader.
struct Reading: Hashable {
    /// UTC where the device does not know the name of the place's.
    let timeZone: TimeZone
    let isZoneKnown: Bool
    /// Epoch seconds.
    let now: Int

    init(in timeZone: TimeZone, now: Int) {
        self.timeZone = timeZone
        isZoneKnown = true
        self.now = now
    }

    init(timeZone name: String, now: Int) {
        let known = TimeZone(identifier: name)
        timeZone = known ?? .gmt
        isZoneKnown = known != nil
        self.now = now
    }
}
