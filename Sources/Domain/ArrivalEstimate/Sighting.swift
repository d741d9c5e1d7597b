public import Foundation

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
    public var mode: TravelMode
    public var stage: Stage
    /// When the stage began; silence is counted from here at the earliest.
    public var stageSince: Date
    public var store: Place
    public var door: Place
    /// Doors and stores of what else the courier goes for.
    public var otherStops: [Place]
    /// Whether the courier has no other stop before this door.
    public var isNextStop: Bool
    public var promiseEnd: Date
    public var track: CourierTrack
    public var estimate: ArrivalEstimate?
    public var now: Date

    public init(
        mode: TravelMode, stage: Stage, stageSince: Date, store: Place, door: Place, otherStops: [Place] = [],
        isNextStop: Bool, promiseEnd: Date, track: CourierTrack, estimate: ArrivalEstimate?, now: Date
    ) {
        self.mode = mode
        self.stage = stage
        self.stageSince = stageSince
        self.store = store
        self.door = door
        self.otherStops = otherStops
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
