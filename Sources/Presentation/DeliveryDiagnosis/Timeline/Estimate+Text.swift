internal import Foundation
internal import OrderDomain
internal import TimePresentation

extension Estimate {
    /// The point and its window: `18:24 (18:20 to 18:31)`.
    func text(in timeZone: TimeZone) -> String {
        let window = "\(earliest.clock(in: timeZone)) to \(latest.clock(in: timeZone))"
        return "\(arrivesAt.clock(in: timeZone)) (\(window))"
    }
}
