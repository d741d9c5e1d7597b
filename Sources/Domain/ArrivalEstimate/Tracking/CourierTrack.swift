public import Foundation
public import OrderDomain

/// The recent movement of one courier, from fixes that come late, twice, out of order or wrong.
///
/// It depends on which fixes were inserted, never on their order, so a replayed backlog ends in the same track.
public struct CourierTrack: Hashable, Sendable {
    /// Fixes by time: the latest of each slot of 5 s, and of each slot of 30 s beyond the newest two minutes.
    private var fixes: [PackedFix] = []
    /// Bit n is set where `fixes[n]` is believed; there are at most ``fixesMax``.
    private var believedBits: UInt64 = 0
    /// Seconds between this phone's fixes, the median, at most 300; 15 until there are three.
    public private(set) var usualInterval = 15.0

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
    public static let standingRadius = 40.0

    public init() {}

    /// Inserts a fix.
    ///
    /// The track keeps a `.tooFast` fix aside: a later fix near it proves that the jump was real.
    /// - Throws: ``FixFault``, the reason why the fix is ignored.
    public mutating func insert(_ fix: Fix, receivedAt now: Date) throws(FixFault) {
        try Self.check(fix, receivedAt: now)
        let new = PackedFix(fix)
        let slot = Self.slot(of: new)
        // Counted from the newest, which nearly every fix follows.
        let index = fixes.lastIndex { Self.slot(of: $0) < slot }.map { $0 + 1 } ?? 0
        if index < fixes.count, Self.slot(of: fixes[index]) == slot {
            if fixes[index].time == new.time {
                // The same moment twice: whichever came first, the same one stays.
                fixes[index] = max(fixes[index], new, by: Self.isLessAccurate)
                update()
                throw .duplicate
            }
            guard fixes[index].time < new.time else { return }
            fixes[index] = new
        } else {
            fixes.insert(new, at: index)
        }
        thin()
        update()
        if let kept = fixes.lastIndex(of: new), !isBelieved(kept) { throw .tooFast }
    }

    /// Fixes in order of time, without those that no courier could have reached.
    ///
    /// A fix out of reach of its predecessor is set aside; if the next one is near it, the jump was real. A fix far off
    /// the line between its neighbours is a spike.
    public var believed: [Fix] { fixes.indices.filter(isBelieved).map { fixes[$0].fix } }

    /// The newest fix that can be believed, and the oldest that is remembered.
    public var latest: Fix? {
        believedBits == 0 ? nil : fixes[UInt64.bitWidth - 1 - believedBits.leadingZeroBitCount].fix
    }
    public var earliest: Fix? { believedBits == 0 ? nil : fixes[believedBits.trailingZeroBitCount].fix }

    private func isBelieved(_ index: Int) -> Bool { believedBits & 1 << index != 0 }

    private var believedNewestFirst: some Sequence<PackedFix> {
        fixes.indices.reversed().lazy.filter(isBelieved).map { fixes[$0] }
    }

    /// The fixes of a whole ride that can be believed.
    ///
    /// - Parameter fixes: in order of time.
    static func believed(_ fixes: [Fix]) -> [Fix] {
        let packed = fixes.map(PackedFix.init)
        return believedIndices(of: packed).map { fixes[$0] }
    }

    private static func believedIndices(of fixes: [PackedFix]) -> [Int] {
        var kept: [Int] = []
        kept.reserveCapacity(fixes.count)
        var aside: Int?
        for index in fixes.indices {
            let fix = fixes[index]
            if let last = kept.last, !isReachable(fix, from: fixes[last]) {
                if let candidate = aside, isReachable(fix, from: fixes[candidate]) {
                    // Two consistent fixes outweigh the earlier ones.
                    kept = [candidate, index]
                    aside = nil
                } else {
                    aside = index
                }
            } else {
                if kept.count > 1,
                    isSpike(fixes[kept[kept.count - 1]], between: fixes[kept[kept.count - 2]], and: fix)
                {
                    kept.removeLast()
                }
                kept.append(index)
                aside = nil
            }
        }
        return kept
    }

    /// Seconds that the courier has stood within 40 m at the newest fix.
    public var standingSeconds: Double { latest.map { secondsWithin(Self.standingRadius, of: $0.place) } ?? 0 }

    /// Metres around a stop within which a courier is there.
    public static let stopRadius = 60.0

    /// Seconds that the courier had been at a stop at the newest fix; 0 elsewhere.
    public func dwellSeconds(at stop: Coordinate) -> Double { secondsWithin(Self.stopRadius, of: stop) }

    private func secondsWithin(_ metres: Double, of place: Coordinate) -> Double {
        guard let last = latest else { return 0 }
        var since = last.time
        for fix in believedNewestFirst {
            guard fix.place.distance(to: place) <= metres else { break }
            since = fix.time
        }
        return last.time.timeIntervalSince(since)
    }

    /// Metres a second at the newest fix: as the phone reported, else over the last two fixes; nil for a single one.
    public var speed: Double? {
        guard let last = latest else { return nil }
        if let reported = last.speed { return reported }
        var recent = believedNewestFirst.dropFirst().makeIterator()
        guard let former = recent.next() else { return nil }
        let seconds = last.time.timeIntervalSince(former.time)
        return seconds > 0 ? former.place.distance(to: last.place) / seconds : nil
    }

    /// Seconds without a fix after which this phone counts as silent: two minutes, or three of its usual intervals.
    public var silentAfter: Double { max(120, 3 * usualInterval) }

    // MARK: Rules

    /// Computes what follows from the fixes.
    private mutating func update() {
        believedBits = Self.believedIndices(of: fixes).reduce(0) { $0 | 1 << $1 }
        let gaps = zip(fixes, fixes.dropFirst()).map { $1.time.timeIntervalSince($0.time) }.sorted()
        usualInterval = gaps.count < 2 ? 15 : min(gaps[gaps.count / 2], 300)
    }

    /// Thins and bounds the fixes by their distance in time from the newest; independent of the order of insertion.
    private mutating func thin() {
        guard let newest = fixes.last?.time.timeIntervalSince1970 else { return }
        func wideSlot(_ fix: PackedFix) -> Double {
            (fix.time.timeIntervalSince1970 / Self.wideSpacingSeconds).rounded(.down)
        }
        // A phone with long intervals is remembered further back: counted in wide slots, which never empty again.
        var (slots, slot) = (0, Double.infinity)
        let oldest = fixes.lastIndex { fix in
            if wideSlot(fix) != slot { (slots, slot) = (slots + 1, wideSlot(fix)) }
            return newest - fix.time.timeIntervalSince1970 > Self.memorySeconds && slots > Self.slotsMin
        }
        var count = 0
        for index in (oldest.map { $0 + 1 } ?? 0)..<fixes.count {
            let slot = wideSlot(fixes[index])
            let isFar = (slot + 1) * Self.wideSpacingSeconds <= newest - Self.closeSeconds
            if isFar, count > 0, wideSlot(fixes[count - 1]) == slot { count -= 1 }
            fixes[count] = fixes[index]
            count += 1
        }
        fixes.removeLast(fixes.count - count)
    }

    /// A spike's least distance in metres from both neighbours, and the least ratio of the path over it to their
    /// distance.
    private static let spikeMetres = 250.0
    private static let spikeDetour = 3.0

    private static func isSpike(_ fix: PackedFix, between former: PackedFix, and next: PackedFix) -> Bool {
        guard !isSurelyWithin(spikeMetres, fix.place, former.place),
            !isSurelyWithin(spikeMetres, fix.place, next.place)
        else { return false }
        let there = former.place.distance(to: fix.place)
        let back = fix.place.distance(to: next.place)
        return min(there, back) > spikeMetres
            && there + back > spikeDetour * former.place.distance(to: next.place) + 100
    }

    /// Whether a bound without trigonometry shows that two places are at most so many metres apart.
    private static func isSurelyWithin(_ metres: Double, _ one: Coordinate, _ other: Coordinate) -> Bool {
        let degrees = abs(one.latitude - other.latitude) + abs(one.longitude - other.longitude)
        // A little more than the metres in a degree.
        return degrees * 111_200 <= metres
    }

    private static func check(_ fix: Fix, receivedAt now: Date) throws(FixFault) {
        guard fix.time.timeIntervalSince1970.isFinite else { throw .invalid }
        try FixLimits.check(fix, receivedAt: now)
    }

    private static func slot(of fix: PackedFix) -> Double {
        (fix.time.timeIntervalSince1970 / spacingSeconds).rounded(.down)
    }

    /// Whether a courier could have moved from one fix to the other; the accuracy radii are not counted as distance.
    private static func isReachable(_ fix: PackedFix, from former: PackedFix) -> Bool {
        let slack = (fix.accuracy ?? 25) + (former.accuracy ?? 25)
        let metres = slack + speedMax * max(1, abs(fix.time.timeIntervalSince(former.time)))
        return isSurelyWithin(metres, former.place, fix.place) || former.place.distance(to: fix.place) <= metres
    }

    /// A total order of fixes of one moment, independent of arrival order: the more accurate one is the greater.
    private static func isLessAccurate(_ one: PackedFix, than other: PackedFix) -> Bool {
        func key(_ packed: PackedFix) -> [Double] {
            let fix = packed.fix
            return [
                -(fix.accuracy ?? .infinity), fix.place.latitude, fix.place.longitude, fix.speed ?? -1,
                fix.heading ?? -1,
            ]
        }
        return key(one).lexicographicallyPrecedes(key(other))
    }
}

private func max<Value>(_ one: Value, _ other: Value, by isLess: (Value, Value) -> Bool) -> Value {
    isLess(one, other) ? other : one
}
