package import Foundation

/// The wait that a server demands in `Retry-After`.
///
/// - Source: RFC 9110, section 10.2.3.
package enum RetryAfter {
    /// The longest wait that is believed.
    private static let secondsMax = 86_400.0

    /// - Parameters:
    ///   - text: the value of `Retry-After`: seconds, or a date.
    ///   - date: the answer's `Date` header, the base of a date in `text`.
    ///   - now: the base where the answer has no `Date` header.
    /// - Returns: nil where `text` is neither seconds nor a date.
    package static func wait(_ text: String, date: String?, now: Date) -> Duration? {
        let seconds: Double
        if let number = Int(text) {
            seconds = Double(number)
        } else if let until = time(text) {
            seconds = until.timeIntervalSince(date.flatMap(time) ?? now)
        } else {
            return nil
        }
        return .seconds(Int(min(max(seconds, 0), secondsMax)))
    }

    /// Parses an HTTP date, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func time(_ text: String) -> Date? {
        let strategy = Date.ParseStrategy(
            format: """
                \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
                \(second: .twoDigits) GMT
                """,
            locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt)
        // A header of another form counts as absent, and the caller's own back-off applies.
        return try? strategy.parse(text)
    }
}
