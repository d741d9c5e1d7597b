import ArrivalEstimate
import Foundation
import OrderDomain

extension TrackingState {
    /// Detects and records new milestones, the arrival, and a stop worth reporting.
    mutating func detectMilestones(_ input: MilestoneInput) -> [Milestone] {
        let new = detector.detect(input)
        milestones += new.map {
            ReachedMilestone(milestone: $0, at: $0.isShownByFix ? lastFixAt ?? input.now : input.now)
        }
        if new.contains(.atDoor) { recordArrival() }
        milestones.removeFirst(max(0, milestones.count - Self.milestonesMax))
        standingSince = detector.reportableStop(lastFixAt: lastFixAt)
        return new
    }

    /// Keeps the leg that has just ended at the door.
    private mutating func recordArrival() {
        guard let legOrigin, let lastFixAt, arrivedLeg?.startedAt != legStartedAt else { return }
        arrivedLeg = ArrivedLeg(
            startedAt: legStartedAt, origin: legOrigin, arrivedAt: lastFixAt, roads: roadSamples?.map(\.reading) ?? [])
    }
}
