import Foundation
import OrderDomain

/// The fixes of one leg with their distances, measured once for every moment that one estimate considers.
struct MeasuredFixes {
    /// The fixes by time.
    let fixes: [Fix]
    /// Metres from the fix before; 0 for the first.
    let hops: [Double]
    /// Metres to the door.
    let toDoor: [Double]

    init(_ fixes: [Fix], door: Coordinate) {
        self.fixes = fixes
        hops = fixes.prefix(1).map { _ in 0 } + zip(fixes, fixes.dropFirst()).map { $0.place.distance(to: $1.place) }
        toDoor = fixes.map { $0.place.distance(to: door) }
    }

    /// The number of fixes measured until a moment.
    func count(until moment: Date) -> Int { fixes.lastIndex { $0.time <= moment }.map { $0 + 1 } ?? 0 }
}

/// Speeds, detours and bearings over the path behind a courier, measured backwards from the last fix.
struct RecentMovement {
    /// The fixes of one leg by time, none later than the moment of the estimate.
    let fixes: ArraySlice<Fix>
    let last: Fix
    private let hops: ArraySlice<Double>
    private let toDoor: ArraySlice<Double>

    /// - Parameters:
    ///   - count: the number of leading fixes to use.
    ///   - beginning: the substitute where there is no fix.
    init(_ measured: MeasuredFixes, count: Int, beginning: Fix, door: Coordinate) {
        let known = count > 0 ? measured : MeasuredFixes([beginning], door: door)
        let count = max(1, count)
        fixes = known.fixes.prefix(count)
        hops = known.hops.prefix(count)
        toDoor = known.toDoor.prefix(count)
        last = known.fixes[count - 1]
    }

    /// Metres from the last fix to the door, and the fewest from any.
    var metresToDoor: Double { toDoor[fixes.count - 1] }
    var metresToDoorMin: Double { toDoor.min() ?? metresToDoor }

    /// The courier's place `seconds` before the last fix, or the first fix's place and age where the fixes begin later.
    func place(secondsBefore seconds: Double) -> (place: Coordinate, seconds: Double) {
        let time = last.time.addingTimeInterval(-seconds)
        guard let index = fixes.lastIndex(where: { $0.time <= time }) else {
            return (fixes[0].place, age(of: fixes[0]))
        }
        guard index + 1 < fixes.count else { return (last.place, 0) }
        let (one, other) = (fixes[index], fixes[index + 1])
        let share = time.timeIntervalSince(one.time) / max(other.time.timeIntervalSince(one.time), 0.001)
        return (one.place.towards(other.place, share: share), seconds)
    }

    /// The path from fix to fix over at least the last `seconds`, as far as fixes reach, in metres and seconds.
    func path(over seconds: Double) -> (metres: Double, seconds: Double) {
        var metres = 0.0
        var index = fixes.count - 1
        while index > 0, age(of: fixes[index]) < seconds {
            metres += hops[index]
            index -= 1
        }
        return (metres, age(of: fixes[index]))
    }

    func speed(over seconds: Double) -> Double {
        let path = path(over: seconds)
        return path.metres / max(path.seconds, 5)
    }

    /// The logarithm of the path's length over its straight line; 0 for a straight path.
    func detour(over seconds: Double) -> Double {
        let path = path(over: seconds)
        let straight = place(secondsBefore: path.seconds).place.distance(to: last.place)
        return log((path.metres + 50) / (straight + 50))
    }

    /// Metres from fix to fix over all that is remembered.
    var metres: Double { hops.reduce(0, +) }

    /// Cosine of the angle between the last seconds' movement and the direction of the door; 0 where one is too short.
    func bearing(over seconds: Double, to door: Coordinate) -> Double {
        let ahead = last.place.offset(to: door)
        let behind = place(secondsBefore: seconds).place.offset(to: last.place)
        let lengths = (hypot(ahead.north, ahead.east), hypot(behind.north, behind.east))
        guard lengths.0 > 20, lengths.1 > 20 else { return 0 }
        return (ahead.north * behind.north + ahead.east * behind.east) / (lengths.0 * lengths.1)
    }

    /// The median speed from fix to fix where the courier moves, and the share of the time that this is.
    var cruise: (speed: Double, share: Double) {
        var (speeds, moving, all): ([Double], Double, Double) = ([], 0, 0)
        for index in fixes.indices.dropFirst() {
            let seconds = fixes[index].time.timeIntervalSince(fixes[index - 1].time)
            let speed = hops[index] / max(seconds, 1)
            all += seconds
            guard speed >= 0.7 else { continue }
            moving += seconds
            speeds.append(speed)
        }
        speeds.sort()
        return (speeds.isEmpty ? 0 : speeds[speeds.count / 2], moving / (all + 30))
    }

    /// Seconds that the courier has stood within 40 m at the last fix.
    var standingSeconds: Double {
        let since = fixes.reversed().prefix { $0.place.distance(to: last.place) <= CourierTrack.standingRadius }.last
        return since.map(age) ?? 0
    }

    /// The share of the last five minutes below 1 m/s, and the highest speed between two fixes in them.
    var recentPace: (slowShare: Double, top: Double) {
        var (slow, all, top) = (0.0, 0.0, 0.0)
        for index in fixes.indices.dropFirst() where age(of: fixes[index]) < 300 {
            let seconds = fixes[index].time.timeIntervalSince(fixes[index - 1].time)
            let speed = hops[index] / max(seconds, 1)
            if speed < 1 { slow += seconds }
            all += seconds
            top = max(top, speed)
        }
        return (all > 0 ? slow / all : 0.3, top)
    }

    /// Metres a second between the last two fixes; 0 for a single one.
    var lastHop: Double {
        guard fixes.count > 1 else { return 0 }
        let former = fixes[fixes.count - 2]
        return hops[fixes.count - 1] / max(1, last.time.timeIntervalSince(former.time))
    }

    /// Seconds between fixes, the median; 15 until there are three.
    var usualInterval: Double {
        let gaps = zip(fixes, fixes.dropFirst()).map { $1.time.timeIntervalSince($0.time) }.sorted()
        return gaps.count < 2 ? 15 : gaps[gaps.count / 2]
    }

    private func age(of fix: Fix) -> Double { last.time.timeIntervalSince(fix.time) }
}
