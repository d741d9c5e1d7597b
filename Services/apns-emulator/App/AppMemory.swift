import Foundation
import LiveActivity
import PhoneRules

/// An app's memory while it runs, and its reactions to notices.
///
/// All data comes from ``AppActivity``, which has the data of ActivityKit alone.
struct AppMemory: Sendable {
    var isRegistered = false
    /// Whether Live Activities were allowed when the app last registered.
    var allowsActivities = true
    /// The secret from the service's first answer to the device's registration.
    var secret: String?
    /// The revision that the app last put on each card.
    var updated: [String: Revision] = [:]
    /// The app's scheduled cards until they start or end: the start, and whether the service has accepted the token.
    var scheduled: [String: (startAt: Int, isConfirmed: Bool)] = [:]
    private var generations: [String?: (value: String, generation: Int, observedAt: Int)] = [:]
    private var generation = 0

    /// A token as it is uploaded: of a value that is known, as it was when it was first seen.
    ///
    /// - Parameter instance: nil for the token that starts cards.
    mutating func token(
        _ value: String, of instance: String?, in environment: APNsEnvironment, at now: Int
    ) -> AppToken {
        if generations[instance]?.value != value {
            generation += 1
            generations[instance] = (value, generation, now)
        }
        let known = generations[instance] ?? (value, generation, now)
        return AppToken(
            value: value, environment: environment,
            observedAt: Date(timeIntervalSince1970: TimeInterval(known.observedAt)),
            generation: known.generation)
    }

    /// Everything that the app sees at its launch, and the tokens of those that live.
    mutating func inventory(of phone: PushedPhone, in environment: APNsEnvironment, at now: Int) -> [AppReport] {
        let activities = phone.activities
        forgetAll(but: Set(activities.map(\.instance)))
        let instances = activities.compactMap { activity -> AppInstance? in
            let state: String
            switch activity.state {
            case .active: state = "active"
            case .stale: state = "stale"
            case .ended: state = "ended"
            case .pending: state = "pending"
            case .dismissed: return nil
            }
            return AppInstance(
                instance: activity.instance, card: activity.attributes.card, activity: activity.attributes.activity,
                revision: activity.content.revision, state: state)
        }
        let inventory = AppReport(kind: .inventory, instances: instances, at: date(now))
        return [inventory]
            + activities.filter { $0.state.isLive && $0.updateToken != nil }
            .map { start($0, in: environment, at: now) }
    }

    /// The reports about one notice.
    mutating func reports(
        of notice: AppNotice, on phone: PushedPhone, in environment: APNsEnvironment, at now: Int
    ) -> [AppReport] {
        switch notice {
        case .launched, .leftForeground, .registrationChanged, .pressed: return []
        case .started(let instance):
            return phone.activity(instance).map { [start($0, in: environment, at: now)] } ?? []
        case .updateToken(let instance):
            guard let activity = phone.activity(instance), let token = activity.updateToken,
                generations[instance]?.value != token
            else { return [] }
            return [start(activity, in: environment, at: now)]
        case .content(let instance):
            return report(.shown, instance, phone, at: now).map { shown in
                guard let revision = updated[instance], shown.revision == revision else { return shown }
                var shown = shown
                shown.isUpdatedByApp = true
                return shown
            }
        case .state(let instance):
            switch phone.activity(instance)?.state {
            case .stale: return report(.stale, instance, phone, at: now)
            case .ended: return report(.ended, instance, phone, at: now)
            case .dismissed: return report(.dismissed, instance, phone, at: now)
            case .active, .pending, nil: return []
            }
        }
    }

    /// That ActivityKit started no card of what is wanted.
    func failure(_ refusal: LocalStartRefusal, of wanted: AppWanted.Activity, at now: Int) -> AppReport {
        AppReport(card: wanted.card, activity: wanted.activity, kind: .failed, code: refusal.rawValue, at: date(now))
    }

    private func report(
        _ kind: AppReport.Kind, _ instance: String, _ phone: PushedPhone, at now: Int
    ) -> [AppReport] {
        phone.activity(instance).map { [report(kind, $0, at: now)] } ?? []
    }

    func report(_ kind: AppReport.Kind, _ activity: AppActivity, at now: Int) -> AppReport {
        AppReport(
            card: activity.attributes.card, instance: activity.instance, activity: activity.attributes.activity,
            kind: kind, revision: activity.content.revision, at: date(now))
    }

    /// That a card is there, with the token that updates it; no report of another kind brings one.
    private mutating func start(
        _ activity: AppActivity, in environment: APNsEnvironment, at now: Int
    ) -> AppReport {
        var start = report(activity.state == .pending ? .pending : .started, activity, at: now)
        if activity.state == .pending { start.startAt = scheduled[activity.instance]?.startAt }
        if activity.state.isLive, let token = activity.updateToken {
            start.updateToken = self.token(token, of: activity.instance, in: environment, at: now)
        }
        return start
    }

    private mutating func forgetAll(but kept: Set<String>) {
        updated = updated.filter { kept.contains($0.key) }
        scheduled = scheduled.filter { kept.contains($0.key) }
        generations = generations.filter { key, _ in key.map { kept.contains($0) } ?? true }
    }

    private func date(_ now: Int) -> Date { Date(timeIntervalSince1970: TimeInterval(now)) }
}
