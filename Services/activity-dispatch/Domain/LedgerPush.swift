import Foundation
import LiveActivity

/// A push to one card in the ledger, with the phone app's later reports about it.
///
/// Apple never reports whether a phone showed a push. The only evidence is the app's report when it runs: the newest
/// content that the phone applied.
struct LedgerPush: Hashable, Sendable {
    let id: Int
    let event: Push.Event
    let priority: Int
    let revision: Revision
    /// Domain time.
    let sentAt: Date
    /// The code of its result; nil while unknown.
    let result: String?
    /// The time of the app's first report that the phone shows it.
    var seenAt: Date?
    /// The time of the app's last report without it.
    var missedAt: Date?
    /// When the state that it carried became the wanted one; nil in rows from before this was kept.
    var wantedAt: Date?
    /// Why it was leased later than its state was wanted, or at a lower priority; nil where neither.
    var delay: PushDelay?

    /// Whether the phone may have received it.
    var mayHaveArrived: Bool { result == nil || result == "taken" || result == "unknown" }
}

/// An app's observation of one card at one time.
struct CardObservation: Hashable, Sendable {
    let card: UUID
    /// The revision on the screen; nil where the app reported only that the card exists.
    let revision: Revision?
    /// Domain time.
    let at: Date
    /// The newest revision that it had reported of the card before.
    let former: Revision?
    /// Whether the app itself put that content on the card, so that it proves of no push that it arrived.
    var isUpdatedByApp = false
}

extension [LedgerPush] {
    /// Records what an observation of the card proves, and no more.
    ///
    /// - the first report of a revision proves that its only push arrived. With several pushes of the revision, at
    ///   least one arrived: the first counts if all had the same priority, else none. A card without earlier reports
    ///   must have been started by this service with an older revision: an app starts its own card with the present
    ///   state;
    /// - a newer push accepted at least ten seconds earlier had not arrived yet;
    /// - an observation proves nothing about older pushes: a replaced one and a lost one cannot be distinguished.
    mutating func apply(_ observation: CardObservation) {
        for index in indices where self[index].event == .start && self[index].mayHaveArrived {
            if self[index].sentAt <= observation.at { self[index].note(seenAt: observation.at) }
        }
        guard let revision = observation.revision else { return }
        let isNew =
            observation.former.map { $0 < revision } ?? contains { $0.event == .start && $0.revision < revision }
        if isNew, !observation.isUpdatedByApp { applySight(of: revision, at: observation.at) }
        for index in indices where self[index].result == "taken" && self[index].revision > revision {
            guard self[index].sentAt.addingTimeInterval(Card.deliveryGrace) <= observation.at else { continue }
            self[index].missedAt = Swift.max(self[index].missedAt ?? observation.at, observation.at)
        }
    }

    private mutating func applySight(of revision: Revision, at time: Date) {
        let carriers = indices.filter {
            self[$0].revision == revision && self[$0].event != .start && self[$0].mayHaveArrived
        }
        // The app may have seen a start of this revision, and not an update.
        guard !contains(where: { $0.event == .start && $0.revision == revision }) else { return }
        if carriers.count == 1 {
            self[carriers[0]].note(seenAt: time)
        } else {
            let sent = carriers.filter { self[$0].sentAt <= time }
            guard let first = sent.first, sent.allSatisfy({ self[$0].priority == self[first].priority }) else { return }
            self[first].note(seenAt: time)
        }
    }
}

extension LedgerPush {
    fileprivate mutating func note(seenAt time: Date) { seenAt = Swift.min(seenAt ?? time, time) }
}
