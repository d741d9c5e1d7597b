import ArrivalEstimate
import Foundation
import OrderDomain

/// The tracks of one courier's phones, one of which the courier carries.
///
/// Like a track it depends on which fixes were inserted and never on their order, so a restarted process rebuilds the
/// same from the table of fixes.
struct CourierTracks: Hashable, Sendable {
    /// Seconds by which a phone's newest fix may be older than another phone's for it still to be followed.
    static let freshSeconds = 120.0
    /// Seconds by which two phones' last movements must differ to show which of them the courier carries.
    static let movementSeconds = 60.0
    /// The most tracked phones of one courier; those with the newest fixes are kept.
    static let phonesMax = 4

    private(set) var byPhone: [PhoneID: CourierTrack] = [:]

    init() {}

    /// Inserts a fix of one phone.
    ///
    /// - Throws: why it is ignored.
    mutating func insert(_ fix: Fix, from phone: PhoneID, receivedAt now: Date) throws(FixFault) {
        var track = byPhone[phone] ?? CourierTrack()
        defer {
            if track.latest != nil || byPhone[phone] != nil { byPhone[phone] = track }
            if byPhone.count > Self.phonesMax { forgetStalest() }
        }
        try track.insert(fix, receivedAt: now)
    }

    /// The track of the phone that the courier carries.
    ///
    /// A phone left at home keeps sending, so the track is that of the phone that moved last among those with recent
    /// fixes; where both did, or neither, of the phone enrolled last.
    var followed: CourierTrack {
        guard byPhone.count > 1 else { return byPhone.first?.value ?? CourierTrack() }
        let candidates = byPhone.compactMap { phone, track in
            track.latest.map { Candidate(phone: phone, track: track, latestAt: $0.time) }
        }
        guard let newest = candidates.map(\.latestAt).max() else { return CourierTrack() }
        let fresh = candidates.filter { newest.timeIntervalSince($0.latestAt) <= Self.freshSeconds }
        let moved = fresh.map(\.movedAt).max() ?? .distantPast
        let carried = fresh.filter { moved.timeIntervalSince($0.movedAt) <= Self.movementSeconds }
        return carried.max { $0.phone < $1.phone }?.track ?? CourierTrack()
    }

    private struct Candidate {
        let phone: PhoneID
        let track: CourierTrack
        let latestAt: Date

        /// The time of its last movement; `distantPast` where it stands in its whole track, like that of a newly
        /// enrolled phone.
        ///
        /// Two consecutive fixes away from both of the newest two show a movement: a single one may be off, also the
        /// newest.
        var movedAt: Date {
            let fixes = track.believed
            let newest = fixes.suffix(2)
            var (since, away) = (latestAt, 0)
            for fix in fixes.reversed() {
                away = newest.allSatisfy { fix.isAway(from: $0) } ? away + 1 : 0
                if away == 2 { return since }
                if away == 0 { since = fix.time }
            }
            return .distantPast
        }
    }

    private mutating func forgetStalest() {
        func key(_ phone: PhoneID) -> (Date, PhoneID) { (byPhone[phone]?.latest?.time ?? .distantPast, phone) }
        guard let stalest = byPhone.keys.min(by: { key($0) < key($1) }) else { return }
        byPhone[stalest] = nil
    }
}

extension Fix {
    /// Whether two fixes are of different places: further apart than a courier who stands, and than either radius.
    fileprivate func isAway(from other: Fix) -> Bool {
        place.distance(to: other.place)
            > max(CourierTrack.standingRadius, accuracy ?? 0, other.accuracy ?? 0)
    }
}
