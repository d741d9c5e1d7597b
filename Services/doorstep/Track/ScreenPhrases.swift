import LiveActivity
import PhoneRules

/// Texts of the live screen around the phone.
struct ScreenPhrases {
    let language: String

    private func localized(_ english: String, _ danish: String) -> String { language == "da" ? danish : english }

    var connecting: String { localized("Connecting …", "Forbinder …") }

    var connected: String { localized("Connected.", "Forbundet.") }

    /// - Parameter time: epoch seconds; nil where there was no connection yet.
    func lost(since time: Int?, _ state: ScreenState, words: Words) -> String {
        let clock = time.map { words.time($0, timeZone: state.timeZone, now: state.now) }
        let text =
            clock.map {
                localized("No connection since \($0); trying again.", "Ingen forbindelse siden \($0); prøver igen.")
            } ?? localized("No connection yet; trying again.", "Ingen forbindelse endnu; prøver igen.")
        guard !state.phone.lockScreen.isEmpty else { return text }
        return text + localized(" The cards stay.", " Kortene bliver.")
    }

    /// What stands where there is no card; without a connection nobody knows that nothing is on its way.
    func empty(_ state: ScreenState) -> String {
        if state.phone.permission == .switchedOff {
            return localized(
                "Live Activities are switched off here: s switches them on",
                "Liveaktiviteter er slået fra: s slår dem til")
        }
        return switch state.connection {
        case .open:
            localized(
                "Nothing on its way yet: a card comes when picking begins",
                "Intet på vej endnu: et kort kommer, når plukningen begynder")
        case .connecting, .lost:
            localized(
                "Not connected: what is on its way is not known",
                "Ingen forbindelse: det vides ikke, hvad der er på vej")
        }
    }

    func emptyIsland(_ phone: Phone) -> String {
        phone.hasIsland
            ? localized(
                "The island is empty: what lives is on the Lock Screen",
                "Dynamic Island er tom: kortene er på låseskærmen")
            : localized("This phone has no island", "Denne telefon har ingen Dynamic Island")
    }

    func moreLines(_ count: Int) -> String { localized("… \(count) more", "… \(count) mere") }

    func more(_ count: Int) -> String { localized("… \(count) more (tab)", "… \(count) mere (tab)") }

    var asking: String { localized("Asking …", "Spørger …") }

    func noButton(_ digit: Int) -> String {
        localized("There is no button \(digit) on this card now", "Der er ingen knap \(digit) på kortet nu")
    }

    var buttonsElsewhere: String {
        localized(
            "Buttons are on the Lock Screen and in the expanded island only",
            "Knapper findes kun på låseskærmen og i den udvidede Dynamic Island")
    }

    func justChanged(_ key: Character) -> String {
        localized(
            "What \(key) does here has just changed: nothing was done",
            "Tast \(key) har lige fået en anden betydning: der skete intet")
    }

    /// Which keys do something now.
    func keys(_ state: ScreenState) -> [String] {
        if state.keys.question != nil {
            return [localized("y yes", "j ja"), localized("n no", "n nej"), localized("q quit", "q slut")]
        }
        var keys: [String] = []
        if !state.keys.confirmed.isEmpty { keys.append(localized("u take back", "u fortryd")) }
        let digits = ButtonDigits.of(state.focusedCard?.content.buttons ?? []).compactMap(\.self).sorted()
        if !digits.isEmpty {
            keys.append(digits.map { "\($0)" }.joined(separator: " ") + localized(" press", " tryk"))
        }
        switch state.side {
        case .lockScreen:
            if state.phone.lockScreen.count > 1 { keys.append(localized("tab next card", "tab næste kort")) }
            if state.focusedCard != nil { keys.append(localized("d swipe away", "d stryg væk")) }
            if state.phone.hasIsland { keys.append(localized("p island", "p Dynamic Island")) }
        case .island:
            if state.phone.islandCardShown != nil {
                keys.append(
                    state.phone.isIslandExpanded ? localized("e close", "e luk") : localized("e expand", "e udvid"))
                keys.append(localized("i hide here", "i skjul her"))
                keys.append(localized("o other app", "o anden app"))
            }
            keys.append(localized("p Lock Screen", "p låseskærm"))
        }
        keys.append(localized("a light", "a lys"))
        if state.phone.permission == .switchedOff { keys.append(localized("s switch on", "s slå til")) }
        keys.append(localized("q quit", "q slut"))
        return keys
    }
}
