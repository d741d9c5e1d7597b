public import Foundation
public import OrderDomain

/// The limits beyond which a fix is rejected, the same at ingest and in a track.
public enum FixLimits {
    /// Seconds by which a phone's clock may be ahead of the service's.
    public static let futureSecondsMax = 120.0
    /// Seconds after which a fix is of no use to any estimate.
    public static let ageSecondsMax = 24.0 * 60 * 60
    /// Metres; a wider accuracy radius carries too little information.
    public static let accuracyMax = 200.0
    /// Degrees around 0° north, 0° east that hold no courier, only phones without a position.
    static let nullIslandDegrees = 0.000_1

    /// Passes a fix that is plausible by itself; faults that only its neighbours show are the track's to find.
    ///
    /// - Throws: `zero`, `future`, `old` or `inaccurate`; the first that applies, in this order.
    public static func check(_ fix: Fix, receivedAt now: Date) throws(FixFault) {
        try check(fix.place)
        try check(measuredAt: fix.time, receivedAt: now)
        if let accuracy = fix.accuracy, accuracy > accuracyMax { throw .inaccurate }
    }

    /// - Throws: `zero`.
    public static func check(_ place: Coordinate) throws(FixFault) {
        if abs(place.latitude) < nullIslandDegrees, abs(place.longitude) < nullIslandDegrees { throw .zero }
    }

    /// - Throws: `future` or `old`.
    public static func check(measuredAt time: Date, receivedAt now: Date) throws(FixFault) {
        let age = now.timeIntervalSince(time)
        if age < -futureSecondsMax { throw .future }
        if age > ageSecondsMax { throw .old }
    }
}
