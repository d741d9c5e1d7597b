import LiveActivity
import PhoneRules

/// Texts of the live screen around the phone.
struct ScreenPhrases {
    let language: String

    private func localized(_ english: String, _ danish: String) -> String { language == "da" ? danish : english }

    var connecting: String { localized("Connecting …", "Forbinder …") }

    func lost(since clock: String) -> String {
        localized(
            "No connection since \(clock); trying again. The cards stay.",
            "Ingen forbindelse siden \(clock); prøver igen. Kortene bliver.")
    }

    func empty(_ phone: Phone) -> String {
        phone.permission == .switchedOff
            ? localized(
                "Live Activities are switched off here: s switches them on",
                "Liveaktiviteter er slået fra: s slår dem til")
            : localized(
                "Nothing on its way yet: a card comes when picking begins",
                "Intet på vej endnu: et kort kommer, når plukningen begynder")
    }

    func emptyIsland(_ phone: Phone) -> String {
        phone.hasIsland
            ? localized(
                "The island is empty: what lives is on the Lock Screen", "Øen er tom: kortene er på låseskærmen")
            : localized("This phone has no island", "Denne telefon har ingen ø")
    }

    func more(_ count: Int) -> String { localized("… \(count) more (tab)", "… \(count) mere (tab)") }

    var asking: String { localized("Asking …", "Spørger …") }

    func noButton(_ digit: Int) -> String {
        localized("There is no button \(digit) on this card now", "Der er ingen knap \(digit) på kortet nu")
    }

    var buttonsElsewhere: String {
        localized(
            "Buttons are on the Lock Screen and in the expanded island only",
            "Knapper findes kun på låseskærmen og den udvidede ø")
    }

    /// Which keys do something now.
    func keys(_ state: ScreenState) -> [String] {
        var keys: [String] = []
        let buttons = state.selectedCard?.content.buttons.count ?? 0
        if buttons > 0 { keys.append((buttons == 1 ? "1" : "1–\(buttons)") + localized(" press", " tryk")) }
        switch state.side {
        case .lockScreen:
            if state.phone.lockScreen.count > 1 { keys.append(localized("tab next card", "tab næste kort")) }
            if state.selectedCard != nil { keys.append(localized("d swipe away", "d stryg væk")) }
            if state.phone.hasIsland { keys.append(localized("p island", "p ø")) }
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
