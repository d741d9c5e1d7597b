import DirectJSON
import Foundation

/// One position in an app's own units and formats, not validated yet.
struct RawFix: Hashable, Sendable {
    /// When it was measured, in the app's format; nil where that is missing or unreadable.
    var time: Time?
    var latitude: Double?
    var longitude: Double?
    /// Radius in metres, in every app that reports one.
    var accuracy: Double?
    var speed: Speed?
    /// Degrees clockwise from north.
    var heading: Double?
    /// Whether the phone reports a position from a mock-location app.
    var isMock = false
    /// Whether the phone itself reports it as valid.
    var isValid = true

    /// A time in one of the forms that apps write.
    enum Time: Hashable, Sendable {
        case date(Date)
        /// Since 1970; seconds below 2^31, milliseconds from there on, as in the OsmAnd protocol.
        case secondsOrMilliseconds(Double)
        case text(String)
    }

    /// A speed in the unit of the app.
    enum Speed: Hashable, Sendable {
        case metersPerSecond(Double)
        case kilometersPerHour(Double)
        case knots(Double)

        /// A knot is 1,852 m an hour, by definition (BIPM, SI Brochure, table 8).
        var inMetersPerSecond: Double {
            switch self {
            case .metersPerSecond(let speed): speed
            case .kilometersPerHour(let speed): speed / 3.6
            case .knots(let speed): speed * 1_852 / 3_600
            }
        }
    }
}

extension RawFix.Time {
    /// The moment, to the microsecond of the database; nil for an invalid time.
    var moment: Date? {
        let seconds: Double? =
            switch self {
            case .date(let date): date.timeIntervalSince1970
            case .secondsOrMilliseconds(let number): number < 2_147_483_648 ? number : number / 1_000
            case .text(let text): TimeText.seconds(of: text, isLoose: true)
            }
        // Beyond the year 9999 is no time but a mistake, and no column holds it.
        guard let seconds, seconds.isFinite, abs(seconds) < 253_402_300_800 else { return nil }
        return Date(timeIntervalSince1970: (seconds * 1_000_000).rounded() / 1_000_000)
    }
}
