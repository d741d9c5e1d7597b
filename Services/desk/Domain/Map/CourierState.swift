import DoorstepAPI
import Foundation

/// A courier's activity, by their phone's fixes.
enum CourierState: String, Hashable, Sendable {
    /// A delivery of the courier has the flag `courier_silent`.
    case silent
    /// The courier has a delivery, and no newer position than ``newestAge``, though none is missed.
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
    /// The largest age in seconds of a fix that locates a courier without deliveries.
    private static let newestAge: TimeInterval = 600

    /// - Parameters:
    ///   - position: from `courier-eta`; nil without one.
    ///   - isSilent: whether a delivery of the courier has the flag, as on the board.
    ///   - now: domain time.
    init(_ position: CourierPositionBody?, now: Date, hasDeliveries: Bool, isSilent: Bool) {
        if isSilent {
            self = .silent
            return
        }
        guard let latest = position?.latest, let position, now.timeIntervalSince(latest.time) <= Self.newestAge else {
            self = hasDeliveries ? .untracked : .idle
            return
        }
        if (latest.speed ?? 0) >= Self.movingSpeed, position.standingSeconds < Self.standingSeconds {
            self = .moving
        } else if hasDeliveries {
            self = position.standingSeconds >= Self.standingSeconds ? .standing : .moving
        } else {
            self = .idle
        }
    }

    /// Couriers who need an operator come first.
    var rank: Int {
        switch self {
        case .silent: 0
        case .untracked: 1
        case .standing: 2
        case .moving: 3
        case .idle: 4
        }
    }
}
