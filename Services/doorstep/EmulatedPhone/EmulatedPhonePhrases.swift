import CommandOutput
import EmulatorAPI
import PhoneRules

/// Texts around an emulated phone.
struct EmulatedPhonePhrases {
    let language: String

    private func localized(_ english: String, _ danish: String) -> String { language == "da" ? danish : english }

    var connecting: String { localized("Connecting to the emulated phone …", "Forbinder til den emulerede telefon …") }

    var lost: String {
        localized(
            "The emulator does not answer; trying again. The cards stay.",
            "Emulatoren svarer ikke; prøver igen. Kortene bliver.")
    }

    var connected: String { localized("Connected to the emulated phone.", "Forbundet til den emulerede telefon.") }

    func empty(_ view: EmulatedPhoneView) -> String {
        guard let phone = view.phone else { return localized("Nothing is known of it yet", "Intet vides om den endnu") }
        if !phone.activitiesEnabled { return localized("Live Activities are off", "Liveaktiviteter er slået fra") }
        return localized("No card on the Lock Screen", "Intet kort på låseskærmen")
    }

    func more(_ count: Int) -> String { localized("… \(count) more", "… \(count) mere") }

    func alert(_ text: String, isBanner: Bool) -> String {
        isBanner ? localized("Banner: \(text)", "Banner: \(text)") : localized("Alert: \(text)", "Alarm: \(text)")
    }

    /// `iphone-1 · iOS 18.0 · offline · app killed`.
    func state(_ phone: EmulatedPhoneBody) -> String {
        let app =
            switch phone.app {
            case .running: localized("app open", "app åben")
            case .background: localized("app in the background", "app i baggrunden")
            case .notRunning: localized("app killed", "app lukket")
            case .forceQuit: localized("app force-quit", "app tvunget til at slutte")
            }
        var parts = [
            phone.id.safeOnTerminal, "iOS \(phone.osVersion)".safeOnTerminal,
            phone.online ? localized("online", "online") : localized("offline", "uden forbindelse"), app,
        ]
        if !phone.activitiesEnabled { parts.append(localized("Live Activities off", "liveaktiviteter slået fra")) }
        if !phone.frequentUpdates { parts.append(localized("frequent updates off", "hyppige opdateringer slået fra")) }
        if let error = phone.appError?.safeOnTerminal {
            parts.append(
                localized("its app's last request failed: \(error)", "dens apps sidste kald fejlede: \(error)"))
        }
        return parts.joined(separator: " · ")
    }

    func budgets(_ phone: EmulatedPhoneBody) -> String {
        let budgets = phone.budgets
        return localized(
            "This hour: \(budgets.updatesLeft) of \(budgets.updatesPerHour) urgent updates, "
                + "\(budgets.startsLeft) of \(budgets.startsPerHour) starts left",
            "I denne time: \(budgets.updatesLeft) af \(budgets.updatesPerHour) opdateringer, "
                + "\(budgets.startsLeft) af \(budgets.startsPerHour) starter tilbage")
    }

    /// `18:24 update, urgent: shown`.
    func push(_ push: PushLogLine, at clock: String) -> String {
        let event: String
        switch push.event {
        case "start": event = localized("start", "start")
        case "update": event = localized("update", "opdatering")
        case "end": event = localized("end", "slut")
        case let other: event = other?.safeOnTerminal ?? localized("stored push", "gemt push")
        }
        let priority = push.priority == 5 ? localized(", quiet", ", stille") : ""
        return "\(clock) \(event)\(priority): \(outcome(push.outcome))"
    }

    /// What became of a push, and why it is not on the screen.
    func outcome(_ outcome: PushOutcome) -> String {
        switch outcome {
        case .applied: localized("shown", "vist")
        case .stored: localized("kept until the phone is online", "gemt, til telefonen er på nettet")
        case .replaced: localized("not shown: a newer one was kept", "ikke vist: en nyere blev gemt")
        case .expired: localized("not shown: it expired meanwhile", "ikke vist: udløb undervejs")
        case .notStored: localized("not shown: the phone was offline", "ikke vist: telefonen var offline")
        case .budgetExhausted: localized("not shown: the hour's budget is spent", "ikke vist: timens kvote er brugt")
        case .startBudgetExhausted:
            localized("not shown: the hour's starts are spent", "ikke vist: timens starter er brugt")
        case .unreadable: localized("not shown: it cannot be read", "ikke vist: kan ikke læses")
        case .otherToken: localized("not shown: the wrong kind of token", "ikke vist: forkert slags token")
        case .deafToken: localized("not shown: its token was replaced", "ikke vist: token er udskiftet")
        case .otherAttributesType: localized("not shown: another attributes type", "ikke vist: anden attributtype")
        case .undecodable: localized("not shown: the app cannot decode it", "ikke vist: kan ikke afkodes")
        case .tooLarge: localized("not shown: more than 4 KB", "ikke vist: mere end 4 KB")
        case .channelUnsupported: localized("not shown: channels need iOS 18", "ikke vist: kanaler kræver iOS 18")
        case .older: localized("not shown: older than the card", "ikke vist: ældre end kortet")
        case .repeated: localized("not shown: the same time again", "ikke vist: samme tidspunkt igen")
        case .alreadyEnded: localized("not shown: the card is over", "ikke vist: kortet er slut")
        case .startWithoutAlert: localized("not shown: a start without an alert", "ikke vist: start uden alarm")
        case .startWithoutAttributes:
            localized("not shown: a start without attributes", "ikke vist: start uden attributter")
        case .denied: localized("not shown: Live Activities are off", "ikke vist: liveaktiviteter er fra")
        case .targetMaximumExceeded: localized("not shown: as many cards as iOS takes", "ikke vist: for mange kort")
        }
    }

    /// Which keys do something now.
    func keys(_ phone: EmulatedPhoneBody) -> [String] {
        var keys = [
            phone.online ? localized("n offline", "n uden net") : localized("n online", "n på nettet"),
            phone.app == .running ? localized("k kill app", "k luk app") : localized("k open app", "k åbn app"),
            phone.activitiesEnabled ? localized("s switch off", "s slå fra") : localized("s switch on", "s slå til"),
        ]
        if phone.app != .forceQuit { keys.insert(localized("f force-quit", "f tving slut"), at: 2) }
        if phone.hasIsland {
            keys.append(
                phone.island.form == .expanded ? localized("e close", "e luk") : localized("e expand", "e udvid"))
            keys.append(localized("o other app", "o anden app"))
            keys.append(localized("m music", "m musik"))
        }
        return keys + [localized("q quit", "q slut")]
    }
}
