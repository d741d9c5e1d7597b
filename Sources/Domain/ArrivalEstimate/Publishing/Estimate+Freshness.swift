public import Foundation
public import OrderDomain

extension Estimate {
    /// Seconds without a fix for which an estimate stays fresh at least.
    private static let freshSecondsMin = 300.0
    /// The share of that time by which a certain estimate stays fresh for longer.
    private static let certaintyFactor = 2.0

    /// The time until which a screen may show this estimate without an update.
    ///
    /// Later with a narrower window and with a phone of longer intervals; never beyond the window.
    /// - Parameters:
    ///   - lastFixAt: the time of the newest fix; nil, for a courier without one, counts from when the estimate was made.
    ///   - silentAfter: seconds after which the phone counts as silent.
    public func freshUntil(lastFixAt: Date?, silentAfter: Double) -> Date {
        let seconds = max(Self.freshSecondsMin, silentAfter) * (1 + Self.certaintyFactor * certainty)
        return min(latest, (lastFixAt ?? madeAt).addingTimeInterval(seconds))
    }

    /// 0 to 1: the remaining time as a share of it and the window's width together.
    private var certainty: Double {
        let remaining = remaining(at: madeAt)
        let width = max(0, latest.timeIntervalSince(earliest))
        return remaining / max(remaining + width, 1)
    }
}
