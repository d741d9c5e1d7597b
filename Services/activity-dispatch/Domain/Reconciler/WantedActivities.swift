import Foundation
import LiveActivity
import Messages
import PhoneRules
import WireCoding

/// A live activity that a device should show, with the card that is to show it.
struct WantedActivity: Hashable, Sendable {
    let id: ActivityID
    /// Nil where none was made yet.
    let card: UUID?
    /// The content for the phone.
    let shown: ShownActivity
    /// Orders it among the card's pushes, epoch seconds.
    let timestamp: Int
    /// The order to its app to schedule it; nil where it is not to be scheduled.
    var schedule: WantedBody.Activity.Schedule?

    init?(_ id: ActivityID, _ card: Card?, _ shown: ShownActivity, at now: Date) {
        guard let fitting = shown.fitting(card?.id, at: now) else { return nil }
        self.id = id
        self.card = card?.id
        self.shown = fitting
        timestamp = Self.timestamp(of: card, at: now)
    }

    /// The timestamp of an app's own update to the wanted state.
    ///
    /// Later pushes have a timestamp of `now` or more, and more than the card's last. So this timestamp is below all of
    /// theirs, and not below earlier pushes'; where it equals the newest push's, that one is equivalent or about to be
    /// replaced.
    static func timestamp(of card: Card?, at now: Date) -> Int {
        max(now.epochSeconds - 1, card?.lastTimestamp ?? 0)
    }
}

/// A device's wanted activities, in the order of their display and within the device's limit.
///
/// Cards keep their slots. Free slots go to cards that are to start by now, in the order in which ``OtherCards`` assigns
/// them: the phone would refuse the start of a card without a slot.
///
/// Swiped activities and those ended by an operator are excluded: their last card is over. So are activities that a
/// push may be about to start, since the app would start them a second time, and those whose payload no phone could
/// decode. A start that was lost is replaced by a new card, which the app starts.
/// - Parameters:
///   - cards: the device's cards, closed ones included, oldest first.
///   - now: domain time.
func wantedActivities(
    of live: [Activity], on device: Device, cards: [Card], limits: Limits, now: Date
) -> [WantedActivity] {
    guard device.isEnabled else { return [] }
    let newest = Dictionary(cards.map { ($0.activity, $0) }, uniquingKeysWith: { _, newer in newer })
    // A scheduled card has a slot: one stays free, for the summary or another order.
    let maySchedule =
        device.transport == .apns && device.osVersion.map { $0 >= .scheduling } ?? false
        && live.count { device.mayShow($0) && !$0.isEnded } < limits.cardsPerDeviceMax
    let wanted = live.sorted { $0.displayRank < $1.displayRank }.compactMap { activity -> WantedActivity? in
        guard device.mayShow(activity), case .show(let shown) = activity.wanted else { return nil }
        let card = newest[activity.id]
        switch card?.state {
        case nil, .signedOut: return WantedActivity(activity.id, nil, shown, at: now)
        case .waiting, .starting, .active:
            guard let card, !card.mustEnd else { return nil }
            guard var one = WantedActivity(activity.id, card, shown, at: now) else { return nil }
            one.schedule = card.schedule(of: activity, one.shown, mayBegin: maySchedule, at: now)
            return one
        case .lost where cards.hasLostStart(of: activity.id, limits: limits, now: now):
            return WantedActivity(activity.id, nil, shown, at: now)
        case .ended, .dismissed, .swiped, .replaced, .lost: return nil
        }
    }
    let claims = wanted.map { SlotClaim($0, newest[$0.id], on: device, limits, now) }
    let slots = wanted.indices.sorted { (claims[$0], $0) < (claims[$1], $1) }.prefix(limits.cardsPerDeviceMax)
    // A card whose start is under way keeps its slot.
    return slots.sorted().map { wanted[$0] }.filter { newest[$0.id]?.mayBeArriving(at: now) != true }
}

/// The claim of a wanted activity to one of the phone's slots, the strongest first.
private enum SlotClaim: Comparable {
    /// Its card has a slot, or may have.
    case held
    /// Its card replaces another.
    case inherited
    case due
    /// It is to start later; a scheduled card too, where no push starts what is due, and so none makes room for it.
    case later

    init(_ wanted: WantedActivity, _ card: Card?, on device: Device, _ limits: Limits, _ now: Date) {
        if let card, card.hasSlot(limits, at: now), device.canStart || !card.isScheduled(after: now) {
            self = .held
        } else if wanted.shown.startAt > now.epochSeconds || card?.isScheduled(after: now) == true {
            self = .later
        } else {
            self = card?.replaces == nil ? .due : .inherited
        }
    }
}

extension Card {
    /// The order to its app to schedule it, or the one that the app has followed; nil where a push or the app starts it.
    fileprivate func schedule(
        of activity: Activity, _ shown: ShownActivity, mayBegin: Bool, at now: Date
    ) -> WantedBody.Activity.Schedule? {
        if let scheduledAt {
            guard !isScheduled || isOnTime(for: activity.wanted) || scheduledAt <= now else { return nil }
        } else {
            let ahead = TimeInterval(shown.startAt) - now.timeIntervalSince1970
            guard mayBegin, state == .waiting, !activity.isSummary,
                (Limits.scheduledAheadMin...Limits.scheduledAheadMax).contains(ahead)
            else { return nil }
        }
        return WantedBody.Activity.Schedule(
            alert: .quiet(shown.attributes), instance: scheduledAt == nil ? nil : instance)
    }

    /// Whether a start was leased so recently that it may be under way to the phone.
    ///
    /// After that the app knows more than Apple's answer: it asks because it does not show the card.
    fileprivate func mayBeArriving(at now: Date) -> Bool {
        guard state == .starting, let leasedAt = pushedAt(now) else { return false }
        return now < leasedAt.addingTimeInterval(Self.startUnderWayMax)
    }

    /// Domain seconds: a push without an answer is given up before its lease of half a minute expires.
    private static let startUnderWayMax: TimeInterval = 30
}

extension ShownActivity {
    /// The content, shortened as in a push that starts it; nil where no phone could decode that.
    fileprivate func fitting(_ card: UUID?, at now: Date) -> ShownActivity? {
        let payload = PushPayload.start(card.map(of) ?? self, timestamp: now.epochSeconds, alert: nil)
        // A payload with a fault is not wanted; the lease of its push records the fault.
        guard (try? payload.checked(attributesBytes: 0)) != nil, let attributes = payload.aps.attributes else {
            return nil
        }
        return ShownActivity(
            attributes: attributes, content: payload.aps.contentState, startAt: startAt, staleAt: staleAt,
            relevance: relevance, alert: alert)
    }
}
