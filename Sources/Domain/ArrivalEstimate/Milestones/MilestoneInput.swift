public import Foundation
public import OrderDomain

/// The stage of a delivery on its way to the door, by its status.
public enum Stage: Hashable, Sendable {
    /// Assigned; the courier has not reported to have set out.
    case assigned
    /// On the way to the store, or there.
    case toStore
    /// The goods are with the courier.
    case carrying
    /// At a door, or between an attempt and the next step.
    case atDoor
    /// The goods go back.
    case returning
}

/// The facts about a delivery at one moment that milestones are detected from.
public struct MilestoneInput: Sendable {
    public var mode: TravelMode
    public var stage: Stage
    /// Whether the courier could not hand it over, and has not tried again.
    public var isAttempted: Bool
    /// When the stage began; silence is counted from here at the earliest.
    public var stageSince: Date
    public var store: Coordinate
    public var door: Coordinate
    /// Doors and stores of the courier's other deliveries.
    public var otherStops: [Coordinate]
    /// When the courier last got goods at another courier's place: a stop begins then at the earliest; nil for never.
    public var stopsSince: Date?
    /// Whether the courier has no other stop before this door.
    public var isNextStop: Bool
    public var promiseEnd: Date
    public var track: CourierTrack
    public var estimate: Estimate?
    /// Whether the phone is expected to send fixes; one that is not is never silent.
    public var isTracked: Bool
    /// Whether silence is a milestone; of a provider's courier it is not, and moves the courier no nearer either.
    public var reportsSilence: Bool
    public var now: Date

    public init(
        mode: TravelMode, stage: Stage, isAttempted: Bool = false, stageSince: Date, store: Coordinate,
        door: Coordinate, otherStops: [Coordinate] = [], stopsSince: Date? = nil,
        isNextStop: Bool, promiseEnd: Date, track: CourierTrack, estimate: Estimate?, isTracked: Bool = true,
        reportsSilence: Bool = true, now: Date
    ) {
        self.mode = mode
        self.stage = stage
        self.isAttempted = isAttempted
        self.stageSince = stageSince
        self.store = store
        self.door = door
        self.otherStops = otherStops
        self.stopsSince = stopsSince
        self.isNextStop = isNextStop
        self.promiseEnd = promiseEnd
        self.track = track
        self.estimate = estimate
        self.isTracked = isTracked
        self.reportsSilence = reportsSilence
        self.now = now
    }

    /// When a phone that is tracked counts as silent if no fix is received before; nil in stages without silence
    /// detection.
    public var silentAt: Date? {
        switch stage {
        case .assigned, .returning: nil
        case .toStore, .carrying, .atDoor:
            silenceSince.addingTimeInterval(silenceSeconds)
        }
    }

    /// Seconds without a fix after which the phone counts as silent.
    private var silenceSeconds: Double { max(MilestoneDetector.silenceReportedAfter, track.silentAfter) }

    /// The time of the newest fix, or of the beginning of the stage where that is later.
    public var silenceSince: Date { max(track.latest?.time ?? stageSince, stageSince) }

    /// Whether a silence of the courier's phone begins, or has begun: how it ends is ``endsSilence``.
    var isSilent: Bool { isTracked && silentAt.map { now >= $0 } ?? false }

    /// Whether a reported silence is over: by a new fix, or since none is expected; another stage is no sign of a phone.
    var endsSilence: Bool {
        !isTracked || track.latest.map { now < $0.time.addingTimeInterval(silenceSeconds) } ?? false
    }
}
