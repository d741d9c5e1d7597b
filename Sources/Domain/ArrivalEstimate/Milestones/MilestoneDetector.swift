public import Foundation
public import OrderDomain

/// Detects the milestones of a delivery, and remembers which it has reported; each is reported once.
public struct MilestoneDetector: Hashable, Codable, Sendable {
    /// Places that were reached.
    public private(set) var reached: Set<Milestone>
    public private(set) var isSilent: Bool
    public private(set) var isLate: Bool
    /// Hysteresis of `arriving`: whether the courier came near the door and has not left it since; nil before it was stored.
    private var isNear: Bool?
    /// The beginning of the courier's stop away from every known stop.
    public internal(set) var stoppedSince: Date?

    public init(reached: Set<Milestone> = [], isSilent: Bool = false, isLate: Bool = false) {
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
    /// Hysteresis: factors on both thresholds for a courier who was near before.
    static let nearMetresFactor = 1.5
    static let nearSecondsFactor = 2.0
    /// Metres from the door, and metres a second, below which a courier is at the door.
    static let atDoorMetres = 40.0
    static let atDoorSpeed = 2.0
    /// Seconds of silence from which it is reported; a shorter one may be a tunnel.
    public static let silenceReportedAfter = 300.0
    /// Probability of a miss at or above which a delivery becomes late, and at or below which it is on time again.
    ///
    /// Hysteresis: between the two the reported state stays.
    static let lateProbability = 0.7
    static let onTimeProbability = 0.15

    /// The milestones that are new, in the order in which they happened.
    public mutating func detect(_ input: MilestoneInput) -> [Milestone] {
        var milestones: [Milestone] = []
        let isSilentByFixes = seesSilence(in: input)
        // Without a new fix only the clock comes nearer to the door, so silence reaches no place.
        if let latest = input.track.latest, !isSilentByFixes {
            for milestone in places(of: input, at: latest) where reached.insert(milestone).inserted {
                milestones.append(milestone)
            }
        }
        if let milestone = detectStop(input) { milestones.append(milestone) }
        let isSilentNow = input.reportsSilence && isSilentByFixes
        if isSilentNow != isSilent { milestones.append(isSilentNow ? .silent : .reporting) }
        isSilent = isSilentNow
        if let isLateNow = lateness(of: input) {
            if isLateNow != isLate { milestones.append(isLateNow ? .late : .onTime) }
            isLate = isLateNow
        }
        return milestones
    }

    /// Whether the courier's phone is silent: the only rule for it, which the flag `courier_silent` and every list repeat
    /// where ``MilestoneInput/reportsSilence``.
    public func seesSilence(in input: MilestoneInput) -> Bool { isSilent ? !input.endsSilence : input.isSilent }

    private mutating func places(of input: MilestoneInput, at fix: Fix) -> [Milestone] {
        // A fix from before the stage began is no evidence of it.
        guard fix.time >= input.stageSince else { return [] }
        switch input.stage {
        case .assigned, .toStore:
            return fix.place.distance(to: input.store) <= Self.nearStore ? [.nearStore] : []
        case .carrying:
            var milestones: [Milestone] = fix.place.distance(to: input.store) > Self.leftStore ? [.leftStore] : []
            guard input.isNextStop else { return milestones }
            let distance = fix.place.distance(to: input.door)
            let isThere = distance <= Self.atDoorMetres && (input.track.speed ?? 0) <= Self.atDoorSpeed
            if isNear(input, metres: distance) { milestones.append(.arriving) }
            if isThere { milestones.append(.atDoor) }
            return milestones
        case .atDoor, .returning:
            return []
        }
    }

    /// Near within the radius or the seconds, whichever comes first; no longer near only beyond both with their factors,
    /// so that an estimate that oscillates around a threshold neither hides nor repeats the milestone.
    private mutating func isNear(_ input: MilestoneInput, metres: Double) -> Bool {
        let remaining = input.estimate?.remaining(at: input.now) ?? .infinity
        let wasNear = isNear ?? false
        let radius = input.mode.arrivingMetres * (wasNear ? Self.nearMetresFactor : 1)
        let seconds = Self.arrivingSeconds * (wasNear ? Self.nearSecondsFactor : 1)
        let isNearNow = metres <= radius || remaining <= seconds
        isNear = isNearNow
        return isNearNow
    }

    /// This detector for a new version of the delivery on the same leg: reported milestones are those of `orders`, and
    /// the state of hysteresis and stops continues.
    public func continuing(_ former: MilestoneDetector) -> MilestoneDetector {
        var next = self
        next.isNear = former.isNear
        next.stoppedSince = former.stoppedSince
        return next
    }

    /// Whether the promise will be missed; nil between the two thresholds, and where no arrival is estimated.
    ///
    /// Of a courier at the door it is missed only once it has passed.
    private func lateness(of input: MilestoneInput) -> Bool? {
        guard input.stage != .returning else { return nil }
        if input.now >= input.promiseEnd { return true }
        if input.stage == .atDoor, !input.isAttempted { return false }
        guard let estimate = input.estimate else { return nil }
        let risk = estimate.probability(after: input.promiseEnd)
        if risk >= Self.lateProbability { return true }
        return risk <= Self.onTimeProbability ? false : nil
    }
}

extension TravelMode {
    /// Metres from the door at which a courier is near it: the median distance two minutes before the arrival.
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
