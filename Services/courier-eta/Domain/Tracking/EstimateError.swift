import ArrivalEstimate
import Foundation
import OrderDomain

/// The time left to the door when an estimate was shown, or that it was the last one shown.
enum EstimateHorizon: String, CaseIterable, Codable, Sendable {
    case fiveMinutes = "5m"
    case tenMinutes = "10m"
    case twentyMinutes = "20m"
    case fortyMinutes = "40m"
    /// Shown when the courier arrived.
    case last

    /// The longest time to go that counts for it; the next shorter horizon's is half of it.
    var secondsMax: Double {
        switch self {
        case .fiveMinutes: 300
        case .tenMinutes: 600
        case .twentyMinutes: 1_200
        case .fortyMinutes: 2_400
        case .last: 0
        }
    }

    /// - Parameter remaining: seconds to go; nil for 150 or fewer, where a courier is about to arrive, and above 2,400.
    init?(remaining: Double) {
        guard let horizon = Self.allCases.first(where: { remaining <= $0.secondsMax && remaining > $0.secondsMax / 2 })
        else { return nil }
        self = horizon
    }
}

/// The error of an arrival that a customer was shown.
struct EstimateError: Codable, Hashable, Sendable {
    let horizon: EstimateHorizon
    /// Domain seconds from the shown to the actual arrival; positive where the courier came later.
    let seconds: Double
}

extension TrackingState {
    /// The arrival that was shown first within a horizon.
    struct HorizonEstimate: Codable, Hashable, Sendable {
        let horizon: EstimateHorizon
        let arrivesAt: Date
    }

    /// Keeps the shown arrival for its horizon, unless an earlier one is kept for that horizon.
    mutating func recordHorizon(at now: Date) {
        guard let shown, let horizon = EstimateHorizon(remaining: shown.arrivesAt.timeIntervalSince(now))
        else { return }
        var estimates = horizonEstimates ?? []
        guard !estimates.contains(where: { $0.horizon == horizon }) else { return }
        estimates.append(HorizonEstimate(horizon: horizon, arrivesAt: shown.arrivesAt))
        horizonEstimates = estimates
    }
}

extension TrackedDelivery {
    /// The errors of the shown arrivals, when this delivery has just reached its door.
    ///
    /// The arrival is the first fix at the door, or else the time of the status; the time of a status that an operator
    /// set with a reason, or that a word for the hand-over implies, is when it was entered, and not when the courier
    /// arrived; any word counts, since nothing shows which came late.
    /// - Returns: none in any other case.
    func estimateErrors(after former: TrackedDelivery) -> [EstimateError] {
        guard Stage(former.delivery) == .carrying, [.atDoor, .delivered].contains(delivery.status.code),
            former.delivery.assignmentEpoch == delivery.assignmentEpoch,
            former.delivery.episode == delivery.episode
        else { return [] }
        let isEntered = delivery.reason != nil || delivery.proof?.handedOverAt != nil
        var arrivedAt = isEntered ? nil : delivery.statusSince
        if let leg = former.tracking.arrivedLeg, leg.startedAt == former.tracking.legStartedAt {
            arrivedAt = leg.arrivedAt
        }
        guard let arrivedAt else { return [] }
        let last = former.tracking.shown.map { TrackingState.HorizonEstimate(horizon: .last, arrivesAt: $0.arrivesAt) }
        return ((former.tracking.horizonEstimates ?? []) + [last].compactMap(\.self)).map {
            EstimateError(horizon: $0.horizon, seconds: arrivedAt.timeIntervalSince($0.arrivesAt))
        }
    }
}
