import DoorstepAPI
import Foundation

/// A courier's activity, by their phone's fixes.
enum CourierState: String, Hashable, Sendable {
    /// Their phone has sent nothing for longer than its intervals explain.
    case silent
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
    ///   - now: domain time.
    init(_ position: CourierPositionBody?, now: Date, hasDeliveries: Bool) {
        guard let position, let latest = position.latest else {
            self = hasDeliveries ? .silent : .idle
            return
        }
        let age = now.timeIntervalSince(latest.time)
        if hasDeliveries, position.isSilent {
            self = .silent
        } else if age > Self.newestAge {
            self = hasDeliveries ? .silent : .idle
        } else if (latest.speed ?? 0) >= Self.movingSpeed, position.standingSeconds < Self.standingSeconds {
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
        case .standing: 1
        case .moving: 2
        case .idle: 3
        }
    }
}
