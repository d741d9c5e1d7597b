import Foundation
import OrderDomain

extension Delivery {
    /// The usual remaining seconds of a delivery in this state until the handover; nil from pickup on, where
    /// `courier-eta` estimates, and after an end.
    ///
    /// Used without an estimate, as for a delivery without a courier. The store packs while the courier comes, so the
    /// longer of the two counts; then the pickup, the ride at a bicycle's usual speed and the wait at the door are
    /// added.
    /// - Source: docs/eta.md, "Before there is an estimate".
    var usualRemainingSeconds: Double? {
        guard case .preparing(let store, let courier) = status else { return nil }
        let ride = 40 + self.store.location.distance(to: door) / 2.4
        return max(store.usualSeconds, courier.usualSeconds) + UsualSeconds.pickup + ride + UsualSeconds.handover
    }

    /// The domain time after which it would probably miss its promise in its present status; nil from pickup on.
    var atRiskFrom: Date? { usualRemainingSeconds.map { promise.end.addingTimeInterval(-$0) } }
}

private enum UsualSeconds {
    static let pickup = 240.0
    static let handover = 120.0
}

extension StoreStatus {
    /// Seconds until the bags are packed.
    fileprivate var usualSeconds: Double {
        switch self {
        case .placed, .accepted: 900
        case .picking: 600
        case .staged: 0
        }
    }
}

extension CourierStatus {
    /// Seconds until the courier is at the store.
    fileprivate var usualSeconds: Double {
        switch self {
        case .unassigned: 600
        case .assigned: 480
        case .toStore: 300
        case .atStore: 0
        }
    }
}
