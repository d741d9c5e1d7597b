import Foundation
import LiveActivity

/// Cards that the system starts at their time, without the app and without a push (iOS 26).
///
/// The order of such a card may be cancelled or moved while the app does not run. So a card stays scheduled only where
/// Doorstep has its update token, with which it ends the card.
extension DoorstepDevice {
    struct ScheduledStart {
        /// Epoch seconds.
        let startAt: Int
        /// Whether Doorstep has accepted the report with the card's token.
        var isConfirmed = false
    }

    /// Reports all cards on the phone with the next upload.
    private func needInventory() {
        pending.needsInventory = true
        wake()
    }

    /// Schedules the cards that are wanted later and are not scheduled yet, until the customer signs out.
    func schedule(_ wanted: [WantedBody.Activity], _ now: Int, since sessions: Int) async {
        for one in wanted {
            guard isSignedIn(since: sessions) else { return }
            guard let schedule = one.schedule else { continue }
            let isThere = activities.present().contains { $0.instance == schedule.instance }
            // The system has dropped the card: an inventory reports that it is missing.
            if schedule.instance != nil, !isThere { needInventory() }
            guard isInForeground, schedule.instance == nil, one.card != nil, one.startAt > now,
                liveCards(of: one).isEmpty, dismissedHere[one.activity] == nil, !hasEnded(one),
                starting.insert(one.activity).inserted
            else { continue }
            defer { starting.remove(one.activity) }
            // A push starts the card that the system refuses to schedule.
            guard let instance = try? await activities.schedule(one.withCard, alert: schedule.alert) else { continue }
            scheduledHere[instance] = ScheduledStart(startAt: one.startAt)
            guard let activity = activities.present().first(where: { $0.instance == instance }) else { continue }
            // The app may have left the foreground meanwhile, and would not wait for an answer.
            guard isInForeground, isSignedIn(since: sessions) else {
                await unschedule(activity)
                pending.needsWanted = true
                wake()
                continue
            }
            add(pendingReport(of: activity))
        }
    }

    /// Ends the scheduled cards that are no longer wanted at their time.
    func endUnwanted(_ wanted: [WantedBody.Activity]) async {
        for activity in activities.present() where activity.state == .pending {
            let isWanted = wanted.contains { one in
                guard let schedule = one.schedule else { return false }
                guard schedule.instance == nil else { return schedule.instance == activity.instance }
                guard let known = scheduledHere[activity.instance], !known.isConfirmed else { return false }
                return one.card == activity.attributes.card && one.startAt == known.startAt
            }
            if !isWanted { await unschedule(activity) }
        }
    }

    /// Ends the cards that this object scheduled and whose tokens Doorstep has not accepted: only the app can.
    func endUnconfirmed() async {
        for activity in activities.present() where activity.state == .pending {
            if let known = scheduledHere[activity.instance], !known.isConfirmed { await unschedule(activity) }
        }
    }

    private func unschedule(_ activity: PhoneActivity) async {
        scheduledHere[activity.instance] = nil
        await end(activity.instance)
        add(report(.dismissed, of: activity, revision: activity.revision))
    }

    /// The report of a scheduled card, with its token where the system has issued one.
    func pendingReport(of activity: PhoneActivity) -> ReportBody {
        var pending = report(.pending, of: activity, revision: activity.revision)
        pending.startAt = scheduledHere[activity.instance]?.startAt
        pending.updateToken = updateTokens[activity.instance]
        return pending
    }

    /// Records the reported cards that Doorstep knows to be scheduled from now on.
    func confirm(_ reports: [ReportBody], kept: Set<String>) {
        for report in reports where report.kind == .pending && report.startAt != nil && report.updateToken != nil {
            guard let instance = report.instance, kept.contains(instance) else { continue }
            scheduledHere[instance]?.isConfirmed = true
        }
    }
}
