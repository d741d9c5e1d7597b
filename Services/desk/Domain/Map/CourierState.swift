import DoorstepAPI
import Foundation

/// What a courier is doing, as far as their phone says.
enum CourierState: String, Hashable, Sendable {
    /// Their phone has sent nothing for longer than its intervals explain.
    case silent
    /// They carry something, or go for it, and stay where they are.
    case standing
    case moving
    /// They have nothing to deliver.
    case idle

    /// Metres a second from which a phone is moving: below it is how far a fix of one that lies still wanders.
    private static let movingSpeed = 1.0
    /// Seconds at one place from which a courier stands: a red light is shorter.
    private static let standingSeconds = 90
    /// A fix that is older says nothing of somebody who has nothing to deliver.
    private static let newestAge: TimeInterval = 600

    /// - Parameters:
    ///   - position: what `courier-eta` knows; nil where it knows nothing.
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

    /// Those who need somebody come first.
    var rank: Int {
        switch self {
        case .silent: 0
        case .standing: 1
        case .moving: 2
        case .idle: 3
        }
    }
}
