public import Foundation
public import OrderDomain

extension Estimate {
    /// The probability that the arrival is after `end`, 0 to 1, from the same distribution as the window.
    ///
    /// A piecewise normal distribution with 10 % beyond either end of the window and 43 % after the point; it continues
    /// past the ends at the same slope.
    public func probability(after end: Date) -> Double {
        let seconds = end.timeIntervalSince(madeAt)
        let low = earliest.timeIntervalSince(madeAt)
        let point = max(arrivesAt.timeIntervalSince(madeAt), low + 1)
        let high = max(latest.timeIntervalSince(madeAt), point + 1)
        let deviations: Double
        if seconds < point {
            let slope = (Self.pointDeviation + Self.endDeviation) / (point - low)
            deviations = Self.pointDeviation - (point - seconds) * slope
        } else {
            let slope = (Self.endDeviation - Self.pointDeviation) / (high - point)
            deviations = Self.pointDeviation + (seconds - point) * slope
        }
        return 0.5 * erfc(deviations / 2.0.squareRoot())
    }

    /// Standard deviations from the median: beyond the first lie 10 %, beyond the second 43 %.
    private static let endDeviation = 1.281_552
    private static let pointDeviation = 0.176_374
}
