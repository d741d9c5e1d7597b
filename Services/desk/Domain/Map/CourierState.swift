import DoorstepAPI
import Foundation

/// A courier's activity, by their phone's fixes; what needs an operator most comes first.
enum CourierState: String, CaseIterable, Hashable, Sendable {
    /// The courier has reported a broken vehicle, and an operator has not released their deliveries yet.
    case broken
    /// A delivery of the courier has the flag `courier_silent`.
    case silent
    /// The courier has a delivery and no recent position, though none is missed.
    case untracked
    /// The courier has a delivery and stands still.
    case standing
    case moving
    /// The courier has no delivery.
    case idle

    /// Metres a second from which a courier is moving: fixes of a resting phone wander more slowly.
    private static let movingSpeed = 1.0
    /// Seconds at one place from which a courier stands: a red light is shorter.
    private static let standingSeconds = 90
    /// The largest age in seconds of the last fix of a standing courier: a resting phone sends few.
    private static let newestAge: TimeInterval = 600
    /// The largest age in seconds of the last fix of a moving courier.
    private static let movingAge: TimeInterval = 120

    /// - Parameters:
    ///   - position: from `courier-eta`; nil without one.
    ///   - isSilent: whether a delivery of the courier has the flag, as on the board.
    ///   - hasBrokenVehicle: whether a delivery of the courier is on hold for that.
    ///   - now: domain time.
    init(
        _ position: CourierPositionBody?, now: Date, hasDeliveries: Bool, isSilent: Bool, hasBrokenVehicle: Bool = false
    ) {
        if hasBrokenVehicle || isSilent {
            self = hasBrokenVehicle ? .broken : .silent
            return
        }
        let age = position?.latest.map { now.timeIntervalSince($0.time) } ?? .infinity
        let isStanding = position.map { $0.standingSeconds >= Self.standingSeconds } ?? false
        if isStanding, age <= Self.newestAge {
            self = hasDeliveries ? .standing : .idle
        } else if age > Self.movingAge {
            self = hasDeliveries ? .untracked : .idle
        } else {
            self = hasDeliveries || (position?.latest?.speed ?? 0) >= Self.movingSpeed ? .moving : .idle
        }
    }

    /// The state in words.
    var text: String {
        switch self {
        case .broken: "vehicle has broken down"
        case .silent, .untracked, .standing, .moving, .idle: rawValue
        }
    }

    /// Couriers who need an operator come first.
    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
