import Foundation
public import LiveActivity
public import OrderDomain
import WireCoding

extension Window {
    /// The rounding of a shown arrival, by the time left at the estimate: whole minutes when near, quarters of an hour
    /// when far.
    ///
    /// More exact times would suggest a promise, and change with every fix.
    private static let roundings: [(belowMinutes: Double, minutes: Double)] = [(20, 1), (90, 5), (.infinity, 15)]

    /// A shown window: rounded outwards, so that it still contains the estimate's, and never two equal clock times.
    public init(shown estimate: Estimate) {
        let minutesAway = estimate.arrivesAt.timeIntervalSince(estimate.madeAt) / 60
        let step = 60 * (Self.roundings.first { minutesAway < $0.belowMinutes }?.minutes ?? 1)
        let from = (Double(estimate.earliest.epochSeconds) / step).rounded(.down) * step
        let to = (Double(estimate.latest.epochSeconds) / step).rounded(.up) * step
        self.init(from: Int(from), to: Int(max(to, from + step)))
    }
}
