import DoorstepAPI
import Foundation
import LiveActivity

extension Card {
    /// The remaining life of a card that is, or may be, on a screen while no push can change it; nil for any other.
    ///
    /// Its app has uploaded no update token, as after a force-quit.
    func frozen(on transport: Device.Transport) -> FrozenCardBody? {
        guard transport == .apns, updateToken == nil, let startedAt else { return nil }
        switch state {
        case .starting: guard inFlight?.isHandedOver ?? true else { return nil }
        case .active: break
        case .waiting, .ended, .dismissed, .swiped, .replaced, .signedOut, .lost: return nil
        }
        let endsAt = startedAt.addingTimeInterval(Limits.systemActiveMax)
        var staleAt: Date?
        if case .show(let shown) = sent { staleAt = Date(timeIntervalSince1970: TimeInterval(shown.staleAt)) }
        return FrozenCardBody(
            since: startedAt, staleAt: staleAt.flatMap { $0 < endsAt ? $0 : nil }, endsAt: endsAt,
            leavesAt: endsAt.addingTimeInterval(TimeInterval(Dismissal.keptSecondsMax)))
    }
}
