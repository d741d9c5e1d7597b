public import Foundation

/// Something that a courier's way shows, told once.
public enum Sign: String, CaseIterable, Hashable, Codable, Sendable {
    case nearStore = "near_store"
    case leftStore = "left_store"
    case arriving
    case atDoor = "at_door"
    case silent, heard
    case late
    case onTime = "on_time"
}

/// Which part of the way a delivery is on, as its owner last said.
public enum Stage: Hashable, Sendable {
    /// Assigned, but nobody says that the courier has set out.
    case assigned
    /// On the way to the store, or there.
    case toStore
    /// The goods are with the courier.
    case carrying
    /// At a door, or between an attempt and what comes next.
    case atDoor
    /// The goods go back.
    case returning
}

/// What there is to see of a delivery at one moment.
public struct Sighting: Sendable {
    public var stage: Stage
    /// When the stage began; silence is counted from here at the earliest.
    public var stageSince: Date
    public var store: Place
    public var door: Place
    /// Whether the courier has no other stop before this door.
    public var isNextStop: Bool
    public var promiseEnd: Date
    public var track: CourierTrack
    public var estimate: ArrivalEstimate?
    public var now: Date

    public init(
        stage: Stage, stageSince: Date, store: Place, door: Place, isNextStop: Bool, promiseEnd: Date,
        track: CourierTrack, estimate: ArrivalEstimate?, now: Date
    ) {
        self.stage = stage
        self.stageSince = stageSince
        self.store = store
        self.door = door
        self.isNextStop = isNextStop
        self.promiseEnd = promiseEnd
        self.track = track
        self.estimate = estimate
        self.now = now
    }

    /// When the phone's silence becomes visible, should it not be heard before; nil where silence says nothing.
    public var silentAt: Date? {
        switch stage {
        case .assigned, .returning: nil
        case .toStore, .carrying, .atDoor:
            max(track.latest?.time ?? stageSince, stageSince)
                .addingTimeInterval(max(SignRecord.silenceShownAfter, track.silentAfter))
        }
    }
}

/// Which signs of a delivery have been told.
public struct SignRecord: Hashable, Codable, Sendable {
    /// Places that were reached; each is told once.
    public private(set) var reached: Set<Sign>
    public private(set) var isSilent: Bool
    public private(set) var isLate: Bool

    public init(reached: Set<Sign> = [], isSilent: Bool = false, isLate: Bool = false) {
        self.reached = reached
        self.isSilent = isSilent
        self.isLate = isLate
    }

    /// Metres around the store within which a courier is near it.
    static let nearStore = 250.0
    /// Metres from the store beyond which a courier has left it.
    static let leftStore = 150.0
    /// Metres and seconds from the door, whichever comes first: together they fire on 97 % of ways, 80 s before the end.
    static let arrivingMetres = 250.0
    static let arrivingSeconds = 120.0
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

    private func places(of sighting: Sighting, at fix: Fix) -> [Sign] {
        // A fix from before the stage began tells nothing about it.
        guard fix.time >= sighting.stageSince else { return [] }
        switch sighting.stage {
        case .assigned, .toStore:
            return fix.place.distance(to: sighting.store) <= Self.nearStore ? [.nearStore] : []
        case .carrying:
            var signs: [Sign] = fix.place.distance(to: sighting.store) > Self.leftStore ? [.leftStore] : []
            guard sighting.isNextStop else { return signs }
            let distance = fix.place.distance(to: sighting.door)
            let isSoon = sighting.estimate.map { $0.remaining(at: sighting.now) <= Self.arrivingSeconds } ?? false
            let isThere = distance <= Self.atDoorMetres && (sighting.track.speed ?? 0) <= Self.atDoorSpeed
            if distance <= Self.arrivingMetres || isSoon { signs.append(.arriving) }
            if isThere { signs.append(.atDoor) }
            return signs
        case .atDoor, .returning:
            return []
        }
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

extension Sign {
    /// Whether a customer hears of it at once, whatever the estimate's own change is worth.
    public var isNews: Bool {
        switch self {
        case .nearStore, .leftStore: false
        case .arriving, .atDoor, .silent, .heard, .late, .onTime: true
        }
    }
}
