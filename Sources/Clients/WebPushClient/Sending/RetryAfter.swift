internal import Foundation
internal import NIOHTTP1

/// How long a server wants not to be asked again.
///
/// - Source: RFC 9110, section 10.2.3.
enum RetryAfter {
    /// The longest wait that is believed.
    private static let secondsMax = 86_400.0

    /// - Parameter now: what a date is held against where the answer has none of its own.
    /// - Returns: nil where the answer says nothing that can be read.
    static func wait(_ headers: HTTPHeaders, now: Date) -> Duration? {
        guard let text = headers.first(name: "retry-after") else { return nil }
        let seconds: Double
        if let number = Int(text) {
            seconds = Double(number)
        } else if let until = date(text) {
            seconds = until.timeIntervalSince(headers.first(name: "date").flatMap(date) ?? now)
        } else {
            return nil
        }
        return .seconds(Int(min(max(seconds, 0), secondsMax)))
    }

    /// Dates as HTTP writes them, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date(_ text: String) -> Date? {
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
