import DoorstepAPI
import Foundation
import OrderDomain

/// A delivery's lane on the board: the first that matches.
enum Lane: String, CaseIterable, Hashable, Sendable {
    /// An operator has to decide, or the delivery is blocked.
    case needsYou = "needs-you"
    /// The promise will be missed, or is.
    case late
    /// A customer's screen shows something else than it should.
    case screensBehind = "screens"
    case fine

    var title: String {
        switch self {
        case .needsYou: "Needs you"
        case .late: "Will be late"
        case .screensBehind: "Outdated cards"
        case .fine: "Fine"
        }
    }

    /// - Parameters:
    ///   - triage: a snoozed delivery counts as fine until the snooze ends.
    ///   - now: domain time.
    init(_ row: BoardBody.Row, _ triage: Triage, at now: Date) {
        if triage.isSnoozed(at: now) {
            self = .fine
        } else if row.need != nil {
            self = .needsYou
        } else if row.risk == .ended {
            self = .fine
        } else if row.risk == .late || row.risk == .atRisk {
            self = .late
        } else if let cards = row.cards, cards.behind > 0 {
            self = .screensBehind
        } else {
            self = .fine
        }
    }
}
