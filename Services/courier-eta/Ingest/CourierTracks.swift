import ArrivalEstimate
import Foundation

/// The recent ways of one courier's phones, of which one is where the courier is.
///
/// Like a track it depends on which fixes were inserted and never on their order, so a process that starts makes the
/// same from the record.
struct CourierTracks: Hashable, Sendable {
    /// Seconds by which a phone may lag behind the one that was heard last and still be the one that is followed.
    static let freshSeconds = 120.0
    /// Seconds by which two phones' last movements must differ for that to say which of them the courier carries.
    static let movementSeconds = 60.0
    /// Phones of one courier that are followed at once; those heard last stay.
    static let phonesMax = 4

    private(set) var byPhone: [PhoneID: CourierTrack] = [:]

    init() {}

    /// Takes a fix in, or says why it is ignored.
    mutating func insert(_ fix: Fix, from phone: PhoneID, receivedAt now: Date) throws(FixFault) {
        var track = byPhone[phone] ?? CourierTrack()
        defer {
            if track.latest != nil || byPhone[phone] != nil { byPhone[phone] = track }
            if byPhone.count > Self.phonesMax { forgetStalest() }
        }
        try track.insert(fix, receivedAt: now)
    }

    /// The way of the phone that the courier carries.
    ///
    /// A phone left at home goes on sending, so among those heard lately it is the one that moved last; where both did,
    /// or neither, the one that was enrolled last.
    var followed: CourierTrack {
        guard byPhone.count > 1 else { return byPhone.first?.value ?? CourierTrack() }
        let heard = byPhone.compactMap { phone, track in
            track.latest.map { Candidate(phone: phone, track: track, latestAt: $0.time) }
        }
        guard let newest = heard.map(\.latestAt).max() else { return CourierTrack() }
        let fresh = heard.filter { newest.timeIntervalSince($0.latestAt) <= Self.freshSeconds }
        let moved = fresh.map(\.movedAt).max() ?? .distantPast
        let carried = fresh.filter { moved.timeIntervalSince($0.movedAt) <= Self.movementSeconds }
        return carried.max { $0.phone < $1.phone }?.track ?? CourierTrack()
    }

    private struct Candidate {
        let phone: PhoneID
        let track: CourierTrack
        let latestAt: Date

        /// When it was last seen to move; long ago where it stands as far as its track goes back, as a phone does that
        /// has just begun to send.
        var movedAt: Date {
            let since = latestAt.addingTimeInterval(-track.standingSeconds)
            guard let first = track.believed.first, since > first.time else { return .distantPast }
            return since
        }
    }

    private mutating func forgetStalest() {
        func key(_ phone: PhoneID) -> (Date, PhoneID) { (byPhone[phone]?.latest?.time ?? .distantPast, phone) }
        guard let stalest = byPhone.keys.min(by: { key($0) < key($1) }) else { return }
        byPhone[stalest] = nil
    }
}
