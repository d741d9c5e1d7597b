import Foundation
import OrderDomain

/// A fix as a track keeps it, in 32 bytes: time and place are exact, the rest is to a hundredth of its unit.
struct PackedFix: Hashable, Sendable {
    let time: Date
    let place: Coordinate
    private let accuracyHundredths: UInt16
    private let speedHundredths: UInt16
    private let headingHundredths: UInt16

    init(_ fix: Fix) {
        time = fix.time
        place = fix.place
        accuracyHundredths = Self.hundredths(fix.accuracy)
        speedHundredths = Self.hundredths(fix.speed)
        headingHundredths = Self.hundredths(fix.heading)
    }

    var accuracy: Double? { Self.value(accuracyHundredths) }

    var fix: Fix {
        Fix(
            time: time, place: place, accuracy: accuracy, speed: Self.value(speedHundredths),
            heading: Self.value(headingHundredths))
    }

    /// The largest number stands for nil, and the one below it for every larger value.
    private static func hundredths(_ value: Double?) -> UInt16 {
        value.map { UInt16(min($0 * 100, Double(UInt16.max - 1)).rounded()) } ?? .max
    }

    private static func value(_ hundredths: UInt16) -> Double? {
        hundredths == .max ? nil : Double(hundredths) / 100
    }
}
