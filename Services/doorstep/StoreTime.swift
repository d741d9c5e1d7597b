import ArgumentParser
import DomainTime
import Foundation
import WireCoding

/// A time as people write it: an instant, or a clock time in the store.
enum StoreTime: Hashable, Sendable {
    case instant(Date)
    case clock(hour: Int, minute: Int)

    /// Seconds for which a clock time that has passed is still today's.
    private static let passedMax: TimeInterval = 12 * 3600

    /// Nil for a text that is neither `2026-11-21T18:24:00Z` nor `18:24`.
    init?(_ text: String) {
        if let date = WireJSON.date(from: text) {
            self = .instant(date)
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
        else { return nil }
        self = .clock(hour: hour, minute: minute)
    }

    /// The instant that is meant.
    ///
    /// A clock time is today's, and tomorrow's where today's is over half a day ago. One that a change of the clocks skips
    /// is the first after it; of one that comes twice today it is the next, or the last where both have passed.
    func date(in timeZone: TimeZone, now: Date) -> Date {
        switch self {
        case .instant(let date): return date
        case .clock(let hour, let minute):
            let today = Self.times(hour, minute, on: [0], from: now, in: timeZone)
            return today.first { $0 >= now }
                ?? today.last { now.timeIntervalSince($0) <= Self.passedMax }
                ?? Self.times(hour, minute, on: [1], from: now, in: timeZone).first ?? now
        }
    }

    /// The instants of a clock time on days that are counted from that of `date`, in the order of the days.
    ///
    /// A day is one of the calendar: it has 23 or 25 hours where the clocks change, and two instants of a clock time
    /// that comes twice.
    private static func times(
        _ hour: Int, _ minute: Int, on days: [Int], from date: Date, in timeZone: TimeZone
    ) -> [Date] {
        let calendar = Calendar.gregorian(in: timeZone)
        let midnight = calendar.startOfDay(for: date)
        return days.compactMap { calendar.date(byAdding: .day, value: $0, to: midnight) }
            .compactMap { calendar.date(bySettingHour: hour, minute: minute, second: 0, of: $0) }
            .flatMap { [$0] + (secondInstant(of: $0, in: timeZone).map { [$0] } ?? []) }
    }

    /// When the clocks show the time of `first` again, because they are set back within a day; nil where they do not.
    private static func secondInstant(of first: Date, in timeZone: TimeZone) -> Date? {
        let offset = timeZone.secondsFromGMT(for: first.addingTimeInterval(86_400))
        let second = first.addingTimeInterval(TimeInterval(timeZone.secondsFromGMT(for: first) - offset))
        return second > first && timeZone.secondsFromGMT(for: second) == offset ? second : nil
    }
}

extension StoreTime {
    /// The last moment that is meant by a time in the past: a clock time is the whole minute, and yesterday's where
    /// today's is to come.
    func lastMoment(in timeZone: TimeZone, now: Date) -> Date {
        guard case .clock(let hour, let minute) = self else { return date(in: timeZone, now: now) }
        let last = Self.times(hour, minute, on: [-1, 0], from: now, in: timeZone).last { $0 <= now } ?? now
        return min(last.addingTimeInterval(59), now)
    }

    /// The instant of an end time after a beginning at `start`: the first such clock time after it.
    func end(after start: Date, in timeZone: TimeZone, now: Date) -> Date {
        guard case .clock(let hour, let minute) = self else { return date(in: timeZone, now: now) }
        return Self.times(hour, minute, on: [0, 1], from: start, in: timeZone).first { $0 > start } ?? start
    }
}

extension StoreTime: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}
