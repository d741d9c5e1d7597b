import Foundation

/// What an app reports about a card.
enum CardReport: Hashable, Sendable {
    /// It is on the screen; with the token that updates it, where there is one.
    case started(updateToken: String?)
    /// It shows the push with this timestamp, epoch seconds.
    case shown(timestamp: Int?)
    /// The system ended it.
    case ended
    /// It left the screen.
    case dismissed
    case stale
}

extension Card {
    /// Seconds that a push may take to arrive: until then a report of the push before it proves no loss.
    static let deliveryGrace: TimeInterval = 10

    /// Applies what the app reports.
    ///
    /// A start is confirmed here and nowhere else; a card that shows an older push than it was sent is sent again.
    mutating func apply(_ report: CardReport, at now: Date) {
        switch report {
        case .started(let token):
            if let token { updateToken = token }
            switch state {
            case .waiting, .starting:
                if state == .waiting { startedAt = now }
                state = .active
            case .lost where token != nil: state = .active
            case .active, .ended, .dismissed, .swiped, .replaced, .signedOut, .lost: break
            }
        case .shown(let timestamp):
            if state == .starting { state = .active }
            guard let timestamp else { return }
            shownTimestamp = max(timestamp, shownTimestamp ?? 0)
            guard timestamp < lastTimestamp, sent != nil,
                now >= lastPushAt?.addingTimeInterval(Self.deliveryGrace) ?? now
            else { return }
            switch state {
            case .active: sent = nil
            case .ended, .dismissed, .replaced, .signedOut:
                // Its end was lost: it is sent again.
                sent = nil
                state = .active
            case .waiting, .starting, .swiped, .lost: break
            }
        case .ended:
            if state.isOnScreen {
                state = .ended
                dismissedAt = now.addingTimeInterval(4 * 3600)
            }
        case .dismissed:
            switch state {
            case .starting, .active: state = .swiped
            case .ended: state = .dismissed
            case .waiting, .dismissed, .swiped, .replaced, .signedOut, .lost: break
            }
        case .stale: break
        }
    }
}
