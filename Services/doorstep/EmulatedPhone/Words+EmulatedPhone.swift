import CommandOutput
import EmulatorAPI
import InterfaceTexts
import LiveActivity
import PhoneRules

/// Texts around an emulated phone.
extension Words {
    func empty(_ view: EmulatedPhoneView) -> String {
        guard let phone = view.phone else { return texts("phone.unknown") }
        return texts(phone.activitiesEnabled ? "phone.empty" : "phone.activities_off")
    }

    func alert(_ text: String, isBanner: Bool) -> String {
        texts(isBanner ? "phone.banner" : "phone.alert", ["text": text]).safeOnTerminal
    }

    /// `iphone-1 · iOS 18.0 · offline · app killed`.
    func state(_ phone: EmulatedPhoneBody) -> String {
        var parts = [
            phone.id.safeOnTerminal, "iOS \(phone.osVersion)".safeOnTerminal,
            texts(phone.online ? "phone.online" : "phone.offline"), texts("phone.app.\(phone.app.rawValue)"),
        ]
        if !phone.activitiesEnabled { parts.append(texts("phone.no_activities")) }
        if !phone.frequentUpdates { parts.append(texts("phone.no_frequent_updates")) }
        if let error = phone.appError?.safeOnTerminal { parts.append(texts("phone.app_failed", ["error": error])) }
        return parts.joined(separator: " · ").safeOnTerminal
    }

    func budgets(_ phone: EmulatedPhoneBody) -> String {
        let budgets = phone.budgets
        return texts(
            "phone.budgets",
            [
                "updates": String(budgets.updatesLeft), "updatesMax": String(budgets.updatesPerHour),
                "starts": String(budgets.startsLeft), "startsMax": String(budgets.startsPerHour),
            ])
    }

    /// `18:24 update, urgent: shown`.
    func push(_ push: PushLogLine, at clock: String) -> String {
        let event =
            switch push.event {
            case "start", "update", "end": texts("phone.event.\(push.event ?? "")")
            case let other: other?.safeOnTerminal ?? texts("phone.event.stored")
            }
        let priority = push.priority == 5 ? texts("phone.quiet") : ""
        return "\(clock) \(event)\(priority): \(outcome(push.outcome))"
    }

    /// The outcome of a push, and the reason why the screen does not show it.
    func outcome(_ outcome: PushOutcome) -> String { texts("phone.outcome.\(outcome.rawValue)") }

    /// The keys that work now.
    func keys(_ phone: EmulatedPhoneBody) -> [String] {
        var keys = [
            phone.online ? "phone.key.offline" : "phone.key.online",
            phone.app == .running ? "phone.key.kill" : "phone.key.open",
            phone.activitiesEnabled ? "phone.key.switch_off" : "phone.key.switch_on",
        ]
        if phone.app != .forceQuit { keys.insert("phone.key.force_quit", at: 2) }
        if phone.hasIsland {
            keys.append(phone.island.form == .expanded ? "screen.key.close" : "screen.key.expand")
            keys += ["screen.key.other_app", "screen.key.music"]
        }
        return (keys + ["screen.key.quit"]).map { texts($0) }
    }
}
