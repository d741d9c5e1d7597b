import ArrivalEstimate
import DoorstepAPI
import Foundation

/// Turns what apps say into fixes of one kind: pure, over values and the time of receipt.
///
/// Metres, metres a second, latitude first, each moment once, oldest first. What a single fix shows to be wrong is
/// dropped here with its reason; what only its neighbours show (a jump, a repeat of an earlier request) is the track's.
/// The result depends on which positions are given, never on their order.
struct FixNormaliser: Sendable {
    /// Fixes of one request that are looked at; the newest, where there are more.
    ///
    /// Ten times Overland's largest batch, and a day of a phone that measures every ten seconds.
    static let fixesMax = 10_000
    /// Seconds by which a phone's clock may be ahead of ours; the track holds the same.
    static let futureSecondsMax = 120.0
    /// Seconds after which a fix is of no use to anybody; the track holds the same.
    static let ageSecondsMax = 24.0 * 60 * 60
    /// Metres; a wider radius says too little; the track holds the same.
    static let accuracyMax = 200.0
    /// Degrees around 0 north, 0 east that no courier is within.
    static let zeroDegrees = 0.000_1

    struct Result: Hashable, Sendable {
        /// Oldest first, each moment once.
        var fixes: [Fix] = []
        var dropped: Drops = [:]
    }

    func callAsFunction(_ reading: TrackerApp.Reading, receivedAt now: Date) -> Result {
        var result = Result()
        result.dropped.count(.malformed, reading.unreadable)
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
                // Of one moment the surest comes first.
                result.dropped.count(.duplicate)
            } else {
                result.fixes.append(fix)
            }
        }
        let excess = result.fixes.count - Self.fixesMax
        if excess > 0 {
            result.fixes.removeFirst(excess)
            result.dropped.count(.tooMany, excess)
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
        guard raw.isValid, (-90.0...90).contains(latitude), (-180.0...180).contains(longitude) else {
            throw Dropped(reason: .invalid)
        }
        guard abs(latitude) >= Self.zeroDegrees || abs(longitude) >= Self.zeroDegrees else {
            throw Dropped(reason: .zero)
        }
        let age = now.timeIntervalSince(time)
        guard age >= -Self.futureSecondsMax else { throw Dropped(reason: .future) }
        guard age <= Self.ageSecondsMax else { throw Dropped(reason: .old) }
        guard !raw.isMock else { throw Dropped(reason: .mock) }
        let fix = Fix(
            time: time, place: Place(latitude: latitude, longitude: longitude), accuracy: raw.accuracy,
            speed: raw.speed?.inMetersPerSecond, heading: raw.heading)
        guard fix.accuracy ?? 0 <= Self.accuracyMax else { throw Dropped(reason: .inaccurate) }
        return fix
    }

    /// By time; of one moment the surest first, so that repeats end the same in any order.
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
