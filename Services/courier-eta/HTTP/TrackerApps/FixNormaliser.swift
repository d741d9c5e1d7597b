import ArrivalEstimate
import DoorstepAPI
import Foundation
import OrderDomain

/// Normalises positions from apps into fixes: pure, over values and the time of receipt.
///
/// Metres, metres a second, latitude first, each moment once, oldest first. A fix that is implausible by itself is
/// dropped here with its reason; what only its neighbours show (a jump, a repeat of an earlier request) is the track's.
/// The result depends on which positions are given, never on their order.
struct FixNormaliser: Sendable {
    struct Result: Hashable, Sendable {
        /// Oldest first, each moment once.
        var fixes: [Fix] = []
        var dropped: Drops = [:]
    }

    func callAsFunction(_ reading: TrackerApp.Reading, receivedAt now: Date) -> Result {
        var result = Result()
        result.dropped.count(.malformed, reading.unreadable)
        if reading.hasMore { result.dropped.count(.tooMany) }
        var fixes: [Fix] = []
        fixes.reserveCapacity(reading.fixes.count)
        for raw in reading.fixes {
            do throws(Dropped) {
                fixes.append(try fix(raw, receivedAt: now))
            } catch {
                result.dropped.count(error.reason)
            }
        }
        fixes.sort(by: Self.isBefore)
        for fix in fixes {
            if result.fixes.last?.time == fix.time {
                // Of one moment the most accurate comes first.
                result.dropped.count(.duplicate)
            } else {
                result.fixes.append(fix)
            }
        }
        return result
    }

    private struct Dropped: Error {
        let reason: DropReason
    }

    private func fix(_ raw: RawFix, receivedAt now: Date) throws(Dropped) -> Fix {
        guard let latitude = raw.latitude, let longitude = raw.longitude, let time = raw.time?.moment else {
            throw Dropped(reason: .malformed)
        }
        guard raw.isValid, let place = Coordinate(latitude: latitude, longitude: longitude) else {
            throw Dropped(reason: .invalid)
        }
        do throws(FixFault) {
            try FixLimits.check(place)
            try FixLimits.check(measuredAt: time, receivedAt: now)
        } catch {
            throw Dropped(reason: DropReason(error))
        }
        guard !raw.isMock else { throw Dropped(reason: .mock) }
        let fix = Fix(
            time: time, place: place, accuracy: raw.accuracy, speed: raw.speed?.inMetersPerSecond,
            heading: raw.heading)
        guard fix.accuracy ?? 0 <= FixLimits.accuracyMax else { throw Dropped(reason: .inaccurate) }
        return fix
    }

    /// Orders by time, and simultaneous fixes by accuracy, so that the result does not depend on the order of repeats.
    private static func isBefore(_ one: Fix, _ other: Fix) -> Bool {
        if one.time != other.time { return one.time < other.time }
        func key(_ fix: Fix) -> [Double] {
            [
                fix.accuracy ?? .infinity, -fix.place.latitude, -fix.place.longitude, -(fix.speed ?? -1),
                -(fix.heading ?? -1),
            ]
        }
        return key(one).lexicographicallyPrecedes(key(other))
    }
}
