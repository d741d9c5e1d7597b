public import Foundation
public import OrderDomain

/// The recent movement of one courier, from fixes that come late, twice, out of order or wrong.
///
/// It depends on which fixes were inserted, never on their order, so a replayed backlog ends in the same track.
public struct CourierTrack: Hashable, Sendable {
    /// Fixes by time: the latest of each slot of 5 s, and of each slot of 30 s beyond the newest two minutes.
    private var fixes: [Fix] = []
    /// Fixes in order of time, without those that no courier could have reached.
    ///
    /// A fix out of reach of its predecessor is set aside; if the next one is near it, the jump was real. A fix far off
    /// the line between its neighbours is a spike.
    public private(set) var believed: [Fix] = []

    /// Seconds for which a track reaches back from its newest fix.
    static let memorySeconds = 14.0 * 60
    /// Seconds that it remembers in slots of 5 s, and the width of a slot before that.
    static let closeSeconds = 120.0
    static let wideSpacingSeconds = 30.0
    /// Wide slots that are kept however old they are.
    static let slotsMin = 8
    /// Width of a slot in seconds; of several fixes in a slot the latest stays.
    static let spacingSeconds = 5.0
    /// Metres a second; faster than any courier.
    static let speedMax = 60.0
    /// Metres around the last fix within which a courier stands.
    static let standingRadius = 40.0

    public init() {}

    /// Inserts a fix.
    ///
    /// The track keeps a `.tooFast` fix aside: a later fix near it proves that the jump was real.
    /// - Throws: ``FixFault``, the reason why the fix is ignored.
    public mutating func insert(_ fix: Fix, receivedAt now: Date) throws(FixFault) {
        try Self.check(fix, receivedAt: now)
        let slot = Self.slot(of: fix)
        if let index = fixes.firstIndex(where: { Self.slot(of: $0) >= slot }), Self.slot(of: fixes[index]) == slot {
            if fixes[index].time == fix.time {
                // The same moment twice: whichever came first, the same one stays.
                fixes[index] = max(fixes[index], fix, by: Self.isLessAccurate)
                believed = Self.believed(fixes)
                throw .duplicate
            }
            if fixes[index].time < fix.time { fixes[index] = fix }
        } else {
            fixes.insert(fix, at: fixes.firstIndex { $0.time > fix.time } ?? fixes.endIndex)
        }
        thin()
        believed = Self.believed(fixes)
        if fixes.contains(fix), !believed.contains(fix) { throw .tooFast }
    }

    /// The newest fix that can be believed.
    public var latest: Fix? { believed.last }

    /// - Parameter fixes: in order of time.
    static func believed(_ fixes: [Fix]) -> [Fix] {
        var kept: [Fix] = []
        var aside: Fix?
        for fix in fixes {
            if let last = kept.last, !isReachable(fix, from: last) {
                if let candidate = aside, isReachable(fix, from: candidate) {
                    // Two consistent fixes outweigh the earlier ones.
                    kept = [candidate, fix]
                    aside = nil
                } else {
                    aside = fix
                }
            } else {
                if kept.count > 1, isSpike(kept[kept.count - 1], between: kept[kept.count - 2], and: fix) {
                    kept.removeLast()
                }
                kept.append(fix)
                aside = nil
            }
        }
        return kept
    }

    /// Seconds that the courier has stood within 40 m at the newest fix.
    public var standingSeconds: Double {
        let believed = believed
        guard let last = believed.last else { return 0 }
        let since = believed.reversed().prefix { $0.place.distance(to: last.place) <= Self.standingRadius }.last
        return last.time.timeIntervalSince(since?.time ?? last.time)
    }

    /// Metres around a stop within which a courier is there.
    public static let stopRadius = 60.0

    /// Seconds that the courier had been at a stop at the newest fix; 0 elsewhere.
    public func dwellSeconds(at stop: Coordinate) -> Double {
        let believed = believed
        guard let last = believed.last else { return 0 }
        let since = believed.reversed().prefix { $0.place.distance(to: stop) <= Self.stopRadius }.last
        return since.map { last.time.timeIntervalSince($0.time) } ?? 0
    }

    /// Metres a second at the newest fix: as the phone reported, else over the last two fixes; nil for a single one.
    public var speed: Double? {
        let recent = believed.suffix(2)
        guard let last = recent.last, let former = recent.first else { return nil }
        if let reported = last.speed { return reported }
        let seconds = last.time.timeIntervalSince(former.time)
        return seconds > 0 ? former.place.distance(to: last.place) / seconds : nil
    }

    /// Seconds between this phone's fixes, the median, at most 300; 15 until there are three.
    public var usualInterval: Double {
        let gaps = zip(fixes, fixes.dropFirst()).map { $1.time.timeIntervalSince($0.time) }.sorted()
        return gaps.count < 2 ? 15 : min(gaps[gaps.count / 2], 300)
    }

    /// Seconds without a fix after which this phone counts as silent: two minutes, or three of its usual intervals.
    public var silentAfter: Double { max(120, 3 * usualInterval) }

    // MARK: Rules

    /// Thins and bounds the fixes by their distance in time from the newest; independent of the order of insertion.
    private mutating func thin() {
        guard let newest = fixes.last?.time.timeIntervalSince1970 else { return }
        let wide = Self.wideSpacingSeconds
        func wideSlot(_ fix: Fix) -> Double { (fix.time.timeIntervalSince1970 / wide).rounded(.down) }
        // A phone with long intervals is remembered further back: counted in wide slots, which never empty again.
        var slots: Set<Double> = []
        let remembered = fixes.reversed().prefix { fix in
            slots.insert(wideSlot(fix))
            return newest - fix.time.timeIntervalSince1970 <= Self.memorySeconds || slots.count <= Self.slotsMin
        }
        var kept: [Fix] = []
        for fix in remembered.reversed() {
            let slot = wideSlot(fix)
            let isFar = (slot + 1) * wide <= newest - Self.closeSeconds
            if isFar, let former = kept.last, wideSlot(former) == slot { kept.removeLast() }
            kept.append(fix)
        }
        fixes = kept
    }

    /// A spike's least distance in metres from both neighbours, and the least ratio of the path over it to their
    /// distance.
    private static let spikeMetres = 250.0
    private static let spikeDetour = 3.0

    private static func isSpike(_ fix: Fix, between former: Fix, and next: Fix) -> Bool {
        let there = former.place.distance(to: fix.place)
        let back = fix.place.distance(to: next.place)
        return min(there, back) > spikeMetres
            && there + back > spikeDetour * former.place.distance(to: next.place) + 100
    }

    private static func check(_ fix: Fix, receivedAt now: Date) throws(FixFault) {
        guard fix.time.timeIntervalSince1970.isFinite else { throw .invalid }
        try FixLimits.check(fix, receivedAt: now)
    }

    private static func slot(of fix: Fix) -> Double { (fix.time.timeIntervalSince1970 / spacingSeconds).rounded(.down) }

    /// Whether a courier could have moved from one fix to the other; the accuracy radii are not counted as distance.
    private static func isReachable(_ fix: Fix, from former: Fix) -> Bool {
        let slack = (fix.accuracy ?? 25) + (former.accuracy ?? 25)
        let metres = max(0, former.place.distance(to: fix.place) - slack)
        return metres <= speedMax * max(1, abs(fix.time.timeIntervalSince(former.time)))
    }

    /// A total order of fixes of one moment, independent of arrival order: the more accurate one is the greater.
    private static func isLessAccurate(_ one: Fix, than other: Fix) -> Bool {
        func key(_ fix: Fix) -> [Double] {
            [-(fix.accuracy ?? .infinity), fix.place.latitude, fix.place.longitude, fix.speed ?? -1, fix.heading ?? -1]
        }
        return key(one).lexicographicallyPrecedes(key(other))
    }
}

private func max<Value>(_ one: Value, _ other: Value, by isLess: (Value, Value) -> Bool) -> Value {
    isLess(one, other) ? other : one
}
