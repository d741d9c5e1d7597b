import Foundation
import LiveActivity

extension DoorstepDevice {
    /// Known tokens that go with one inventory: more than iOS shows cards of any app.
    private static let tokensPerInventoryMax = 20
    /// Seconds after which the same failure of a start is reported again; Doorstep forgets it after a quarter of an
    /// hour, and would then spend a start by push on it.
    private static let failureRepeatSeconds = 600.0

    struct FailedStart {
        let code: String
        let reportedAt: Date
    }

    struct DismissedCard {
        let instance: String
        /// Whether Doorstep knows that it has left the screen, or has refused its report for good.
        var isConfirmed = false
    }

    /// The present state of every card on the phone, and the known tokens of live ones: a system reports each but once.
    func inventory() -> [ReportBody] {
        let present = activities.present()
        let instances = present.compactMap { activity -> ReportBody.Instance? in
            let state: ReportBody.Instance.State
            switch activity.state {
            case .pending: state = .pending
            case .active: state = .active
            case .stale: state = .stale
            case .ended: state = .ended
            case .dismissed: return nil
            }
            return ReportBody.Instance(
                instance: activity.instance, card: activity.attributes.card, activity: activity.attributes.activity,
                revision: activity.revision, state: state,
                isUpdatedByApp: isUpdatedHere(activity.instance, to: activity.revision))
        }
        let starts = present.filter(\.state.isLive).compactMap { activity -> ReportBody? in
            guard let token = updateTokens[activity.instance] else { return nil }
            if activity.state == .pending { return pendingReport(of: activity) }
            var start = report(.started, of: activity, revision: activity.revision)
            start.updateToken = token
            return start
        }
        return [ReportBody(kind: .inventory, instances: instances, at: time.now())]
            + starts.prefix(Self.tokensPerInventoryMax)
    }

    /// Reports a start that was not seen at launch, so that the server starts no second card.
    func reportStart(of activity: PhoneActivity) {
        guard activity.state == .active || activity.state == .stale else { return }
        add(report(.started, of: activity, revision: activity.revision))
    }

    /// Follows one activity until it is dismissed.
    func follow(_ activity: PhoneActivity) async {
        var revision = activity.revision
        var state = activity.state
        for await change in activities.changes(of: activity.instance) {
            switch change {
            case .updateToken(let token):
                guard updateTokens[activity.instance]?.value != Self.hex(token) else { continue }
                let known = pushToken(token)
                updateTokens[activity.instance] = known
                guard state != .pending else {
                    add(pendingReport(of: activity))
                    continue
                }
                var start = report(.started, of: activity, revision: revision)
                start.updateToken = known
                add(start)
            case .shown(let shown):
                guard shown != revision else { continue }
                revision = shown
                add(report(.shown, of: activity, revision: revision))
            case .state(let new):
                guard new != state else { continue }
                let wasPending = state == .pending
                state = new
                if wasPending, new == .active || new == .stale {
                    scheduledHere[activity.instance] = nil
                    var start = report(.started, of: activity, revision: revision)
                    start.updateToken = updateTokens[activity.instance]
                    add(start)
                }
                guard let kind = Self.kind(of: new), !endedHere.contains(activity.instance) else { continue }
                // The switch in Settings removes every card: its report comes first, so that Doorstep records no swipe.
                if kind == .dismissed {
                    dismissedHere[activity.attributes.activity] =
                        isSignedOut ? nil : DismissedCard(instance: activity.instance)
                    note(activities.permission())
                }
                add(report(kind, of: activity, revision: revision))
            }
        }
        updateTokens[activity.instance] = nil
        updatedHere[activity.instance] = nil
        scheduledHere[activity.instance] = nil
    }

    /// Brings cards up to date that show older content than is wanted, and in the foreground starts what is wanted by now
    /// and is not on the screen, and schedules what is wanted later.
    ///
    /// - Parameter sessions: their number before Doorstep was asked; after another sign-in or sign-out nothing is shown.
    func show(_ wanted: [WantedBody.Activity], since sessions: Int) async {
        guard isSignedIn(since: sessions) else { return }
        let now = Int(time.now().timeIntervalSince1970)
        await endUnwanted(wanted)
        for one in wanted {
            let shown = liveCards(of: one)
            for card in shown where isOutdated(card, by: one, now) && isSignedIn(since: sessions) {
                await update(card, to: one)
            }
            guard isSignedIn(since: sessions) else { return }
            // The system refuses a start in the background.
            guard shown.isEmpty, isInForeground, one.startAt <= now, dismissedHere[one.activity] == nil,
                !hasEnded(one), starting.insert(one.activity).inserted
            else { continue }
            defer { starting.remove(one.activity) }
            do throws(PhoneStartFailure) {
                let instance = try await activities.start(one.withCard)
                failedStarts[one.activity] = nil
                if !isSignedIn(since: sessions) {
                    await end(instance)
                    // The customer who has signed in meanwhile was not shown it, since it was being started.
                    pending.needsWanted = true
                    wake()
                }
            } catch {
                guard isSignedIn(since: sessions) else { return }
                let at = time.now()
                // The next attempt may fail by the same.
                if let known = failedStarts[one.activity], known.code == error.code,
                    (0..<Self.failureRepeatSeconds).contains(at.timeIntervalSince(known.reportedAt))
                {
                    continue
                }
                failedStarts[one.activity] = FailedStart(code: error.code, reportedAt: at)
                add(ReportBody(card: one.card, activity: one.activity, kind: .failed, code: error.code, at: at))
            }
        }
        if isInForeground { await schedule(wanted, now, since: sessions) }
    }

    /// Whether a card shows an older revision, or is stale although its content holds for longer.
    private func isOutdated(_ card: PhoneActivity, by wanted: WantedBody.Activity, _ now: Int) -> Bool {
        guard card.state != .pending else { return false }
        return card.revision < wanted.content.revision
            || (card.state == .stale && card.revision == wanted.content.revision && wanted.staleAt > now)
    }

    /// Puts the wanted content on a card, where the server gives a timestamp for its order among pushes.
    func update(_ card: PhoneActivity, to wanted: WantedBody.Activity) async {
        guard let timestamp = wanted.timestamp else { return }
        // What a push has put there stays the push's, also where the app makes it fresh.
        if card.revision < wanted.content.revision { updatedHere[card.instance] = wanted.content.revision }
        await activities.update(card.instance, to: wanted, timestamp: timestamp)
    }

    func liveCards(of wanted: WantedBody.Activity) -> [PhoneActivity] {
        activities.present().filter { activity in
            activity.state.isLive
                && (activity.attributes.activity == wanted.activity
                    || (wanted.card != nil && activity.attributes.card == wanted.card))
        }
    }

    /// Whether this very card has ended on the phone, not by the app: an answer that still wants it is older, since the
    /// activity's next card has another id.
    func hasEnded(_ wanted: WantedBody.Activity) -> Bool {
        guard let card = wanted.card else { return false }
        return activities.present().contains {
            $0.state == .ended && $0.attributes.card == card && !endedHere.contains($0.instance)
        }
    }

    func report(_ kind: ReportBody.Kind, of activity: PhoneActivity, revision: Revision) -> ReportBody {
        ReportBody(
            card: activity.attributes.card, instance: activity.instance, activity: activity.attributes.activity,
            kind: kind, revision: revision, isUpdatedByApp: isUpdatedHere(activity.instance, to: revision),
            at: time.now())
    }

    /// True where this object put the content of the revision on the card, else nil.
    private func isUpdatedHere(_ instance: String, to revision: Revision) -> Bool? {
        updatedHere[instance] == revision ? true : nil
    }

    /// The cards that have left the screen, as far as an upload reports it, by activity; an inventory lacks all of them.
    func dismissals(in upload: PendingUploads.Upload) -> [String: DismissedCard] {
        guard case .reports(let reports, let hasInventory) = upload else { return [:] }
        let reported = Set(reports.filter { $0.kind == .dismissed }.compactMap(\.instance))
        return dismissedHere.filter { hasInventory || reported.contains($0.value.instance) }
    }

    /// Records that Doorstep has answered an upload with these: it knows of them in every later answer, or never will.
    ///
    /// Another card of the activity may have left the screen meanwhile.
    func confirm(_ dismissals: [String: DismissedCard]) {
        for (activity, card) in dismissals where dismissedHere[activity]?.instance == card.instance {
            dismissedHere[activity]?.isConfirmed = true
        }
    }

    private static func kind(of state: PhoneActivity.State) -> ReportBody.Kind? {
        switch state {
        case .stale: .stale
        case .ended: .ended
        case .dismissed: .dismissed
        case .pending, .active: nil
        }
    }
}

extension WantedBody.Activity {
    /// The same with the card's id in its attributes, so that the app can name it.
    var withCard: WantedBody.Activity {
        guard let card, attributes.card == nil else { return self }
        return WantedBody.Activity(
            activity: activity, card: card, startAt: startAt, attributes: attributes.with(card: card), content: content,
            staleAt: staleAt, relevance: relevance, timestamp: timestamp)
    }

    /// The same with other content.
    func with(_ content: GroceryDeliveryAttributes.ContentState) -> WantedBody.Activity {
        WantedBody.Activity(
            activity: activity, card: card, startAt: startAt, attributes: attributes, content: content,
            staleAt: staleAt, relevance: relevance, timestamp: timestamp)
    }
}
