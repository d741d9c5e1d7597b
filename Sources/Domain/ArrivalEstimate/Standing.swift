public import Foundation

/// A courier who stands still where nobody expects it: noticed early, told to the customer once it is no traffic light.
public enum Standing {
    /// Seconds within a circle of 40 m from which a courier stands still; half go on within 30 s more.
    static let noticedSeconds = 120.0
    /// Seconds from which a customer is told; nine in ten have gone on by then.
    static let shownSeconds = 240.0
    /// Metres around a stop within which standing is work: parking, walking, waiting, handing over.
    static let stopMetres = 150.0
}

extension Sighting {
    /// Since when the courier stood still when last heard; nil while moving, and at the store or anybody's door.
    var standsSince: Date? {
        switch stage {
        case .assigned, .atDoor, .returning: return nil
        case .toStore, .carrying: break
        }
        guard let latest = track.latest, latest.time >= stageSince else { return nil }
        let since = max(latest.time.addingTimeInterval(-track.standingSeconds), stageSince)
        guard latest.time.timeIntervalSince(since) >= Standing.noticedSeconds else { return nil }
        let stops = [store, door] + otherStops
        return stops.allSatisfy { latest.place.distance(to: $0) > Standing.stopMetres } ? since : nil
    }
}

extension SignRecord {
    /// Standing and moving, each told once; what began keeps its first moment until the courier goes on.
    mutating func noticeStanding(_ sighting: Sighting) -> Sign? {
        let since = sighting.standsSince
        defer { standsSince = since == nil ? nil : standsSince ?? since }
        switch (standsSince, since) {
        case (nil, .some): return .standing
        case (.some, nil): return .moving
        case (nil, nil), (.some, .some): return nil
        }
    }

    /// Since when the courier stands still, once that has gone on for long enough to tell a customer.
    ///
    /// - Parameter heardAt: when the phone was last heard: silence is not standing.
    public func standingToShow(heardAt: Date?) -> Date? {
        guard let standsSince, let heardAt, heardAt.timeIntervalSince(standsSince) >= Standing.shownSeconds else {
            return nil
        }
        return standsSince
    }
}
