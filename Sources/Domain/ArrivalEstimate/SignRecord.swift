public import Foundation

/// Which signs of a delivery have been told.
public struct SignRecord: Hashable, Codable, Sendable {
    /// Places that were reached; each is told once.
    public private(set) var reached: Set<Sign>
    public private(set) var isSilent: Bool
    public private(set) var isLate: Bool
    /// Whether the courier came near the door and has not gone far from it since; nil in records from before it was kept.
    private var isNear: Bool?
    /// Since when the courier stands still where nobody expects it.
    public internal(set) var standsSince: Date?

    public init(reached: Set<Sign> = [], isSilent: Bool = false, isLate: Bool = false) {
        self.reached = reached
        self.isSilent = isSilent
        self.isLate = isLate
    }

    /// Metres around the store within which a courier is near it.
    static let nearStore = 250.0
    /// Metres from the store beyond which a courier has left it.
    static let leftStore = 150.0
    /// Seconds from the door at which a courier is near it, unless ``TravelMode/arrivingMetres`` comes first.
    static let arrivingSeconds = 120.0
    /// How many times as far, in metres and in seconds, a courier must go to be near no more.
    static let nearMetresFactor = 1.5
    static let nearSecondsFactor = 2.0
    /// Metres from the door, and metres a second, at which a courier is there.
    static let atDoorMetres = 40.0
    static let atDoorSpeed = 2.0
    /// Seconds of silence before anyone is told; a shorter one is a tunnel.
    static let silenceShownAfter = 300.0
    /// Probability of a miss from which a delivery is told to be late, and below which it is on time after all.
    ///
    /// Far enough apart that it is said once: a promise that hangs in the balance stays as it was told.
    static let lateProbability = 0.7
    static let onTimeProbability = 0.15

    /// The signs that are new, in the order in which they happened.
    public mutating func notice(_ sighting: Sighting) -> [Sign] {
        var signs: [Sign] = []
        if let latest = sighting.track.latest {
            for sign in places(of: sighting, at: latest) where reached.insert(sign).inserted { signs.append(sign) }
        }
        if let sign = noticeStanding(sighting) { signs.append(sign) }
        if let silentAt = sighting.silentAt {
            let isSilentNow = sighting.now >= silentAt
            if isSilentNow != isSilent { signs.append(isSilentNow ? .silent : .heard) }
            isSilent = isSilentNow
        }
        if let isLateNow = lateness(of: sighting) {
            if isLateNow != isLate { signs.append(isLateNow ? .late : .onTime) }
            isLate = isLateNow
        }
        return signs
    }

    private mutating func places(of sighting: Sighting, at fix: Fix) -> [Sign] {
        // A fix from before the stage began tells nothing about it.
        guard fix.time >= sighting.stageSince else { return [] }
        switch sighting.stage {
        case .assigned, .toStore:
            return fix.place.distance(to: sighting.store) <= Self.nearStore ? [.nearStore] : []
        case .carrying:
            var signs: [Sign] = fix.place.distance(to: sighting.store) > Self.leftStore ? [.leftStore] : []
            guard sighting.isNextStop else { return signs }
            let distance = fix.place.distance(to: sighting.door)
            let isThere = distance <= Self.atDoorMetres && (sighting.track.speed ?? 0) <= Self.atDoorSpeed
            if isNear(sighting, metres: distance) { signs.append(.arriving) }
            if isThere { signs.append(.atDoor) }
            return signs
        case .atDoor, .returning:
            return []
        }
    }

    /// Near once within the radius or the seconds, whichever comes first; not near again only well beyond both, so that
    /// an estimate that hangs on the border neither hides nor repeats it.
    private mutating func isNear(_ sighting: Sighting, metres: Double) -> Bool {
        let remaining = sighting.estimate?.remaining(at: sighting.now) ?? .infinity
        let wasNear = isNear ?? false
        let radius = sighting.mode.arrivingMetres * (wasNear ? Self.nearMetresFactor : 1)
        let seconds = Self.arrivingSeconds * (wasNear ? Self.nearSecondsFactor : 1)
        let isNearNow = metres <= radius || remaining <= seconds
        isNear = isNearNow
        return isNearNow
    }

    /// The same record for a new version of the delivery on the same leg: what was told is what `orders` shows, what is
    /// seen goes on.
    public func continuing(_ former: SignRecord) -> SignRecord {
        var next = self
        next.isNear = former.isNear
        next.standsSince = former.standsSince
        return next
    }

    /// Whether the promise will be missed; nil while that is too close to tell, or no question any more.
    private func lateness(of sighting: Sighting) -> Bool? {
        guard sighting.stage != .returning else { return nil }
        if sighting.now >= sighting.promiseEnd { return true }
        guard sighting.stage != .atDoor, let estimate = sighting.estimate else { return nil }
        let risk = estimate.probability(after: sighting.promiseEnd)
        if risk >= Self.lateProbability { return true }
        return risk <= Self.onTimeProbability ? false : nil
    }
}

extension TravelMode {
    /// Metres from the door at which a courier is near it: half of them had two minutes to go there.
    ///
    /// - Source: docs/eta.md#from-an-estimate-to-a-screen; by bicycle 290 m, by car 504 m, by cab 674 m on recorded rides.
    var arrivingMetres: Double {
        switch self {
        case .bicycle: 290
        case .car: 500
        case .cab: 670
        }
    }
}
