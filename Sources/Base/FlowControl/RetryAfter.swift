package import Foundation

/// How long a server wants not to be asked again.
///
/// - Source: RFC 9110, section 10.2.3.
package enum RetryAfter {
    /// The longest wait that is believed.
    private static let secondsMax = 86_400.0

    /// - Parameters:
    ///   - text: the header of this name: seconds, or a date.
    ///   - date: the answer's own date, which a date is held against.
    ///   - now: what a date is held against where the answer has none of its own.
    /// - Returns: nil where the answer says nothing that can be read.
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

    /// Dates as HTTP writes them, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func time(_ text: String) -> Date? {
        let strategy = Date.ParseStrategy(
            format: """
                \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
                \(second: .twoDigits) GMT
                """,
            locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt)
        return try? strategy.parse(text)
    }
}
