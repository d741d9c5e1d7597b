import LiveActivity
import PhoneRules

/// The app's cards that the system starts without a push, by the rules of `DoorstepDevice`.
extension EmulatedApp {
    /// Schedules the cards that are wanted later; the notice of a scheduled card leads to its report.
    func schedule(_ wanted: [AppWanted.Activity], _ memory: inout AppMemory) throws {
        for one in wanted {
            guard let schedule = one.schedule, schedule.instance == nil else { continue }
            var scheduled: String?
            _ = try fleet.change(phone) { phone, now in
                guard case .running = phone.app, phone.settings.osVersion >= .scheduling, one.startAt > now,
                    one.cards(among: phone.activities).isEmpty
                else { return [] }
                // A push starts the card that the phone refuses to schedule.
                let effects = try? phone.startFromApp(one.shown, scheduledWith: schedule.alert, at: now)
                if effects != nil { scheduled = one.cards(among: phone.activities).first?.instance }
                return effects ?? []
            }
            if let scheduled { memory.scheduled[scheduled] = (one.startAt, false) }
        }
    }

    /// Ends the scheduled cards that are no longer wanted at their time.
    func endUnwanted(_ wanted: [AppWanted.Activity], _ memory: inout AppMemory) async throws {
        let known = memory.scheduled
        try await end(&memory) { activity in
            !wanted.contains { one in
                guard let schedule = one.schedule else { return false }
                guard schedule.instance == nil else { return schedule.instance == activity.instance }
                guard let known = known[activity.instance], !known.isConfirmed else { return false }
                return one.card == activity.attributes.card && one.startAt == known.startAt
            }
        }
    }

    /// Ends the scheduled cards whose tokens the service has not accepted.
    func endUnconfirmed(_ memory: inout AppMemory) async throws {
        let known = memory.scheduled
        try await end(&memory) { known[$0.instance].map { !$0.isConfirmed } ?? false }
    }

    private func end(_ memory: inout AppMemory, where isOver: (AppActivity) -> Bool) async throws {
        let pending = try fleet.phone(phone).phone.activities.filter { $0.state == .pending && isOver($0) }
        var reports: [AppReport] = []
        for activity in pending {
            memory.scheduled[activity.instance] = nil
            _ = try fleet.change(phone) { $0.endFromApp(instance: activity.instance, at: $1) }
            reports.append(memory.report(.dismissed, activity, at: fleet.clock.now))
        }
        try await report(reports, &memory)
    }
}

extension AppMemory {
    /// Records the reported cards that the service knows to be scheduled.
    mutating func confirm(_ reports: [AppReport], kept: Set<String>) {
        for report in reports where report.kind == .pending && report.startAt != nil && report.updateToken != nil {
            if let instance = report.instance, kept.contains(instance) { scheduled[instance]?.isConfirmed = true }
        }
    }
}
