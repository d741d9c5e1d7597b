package import Foundation

extension Date {
    /// The time of day in a zone: `18:24`, or `18:24:07` with seconds.
    package func clock(in timeZone: TimeZone, withSeconds: Bool = false) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.hour, .minute, .second], from: self)
        let shown = [parts.hour, parts.minute] + (withSeconds ? [parts.second] : [])
        return shown.map { number in
            let text = String(number ?? 0)
            return text.count == 1 ? "0" + text : text
        }.joined(separator: ":")
    }
}
