import InterfaceTexts
import LiveActivity
import PhoneRules

/// Texts of the live screen around the phone.
extension Words {
    /// - Parameter time: epoch seconds; nil where there was no connection yet.
    func lost(since time: Int?, _ state: ScreenState) -> String {
        let clock = time.map { self.time($0, timeZone: state.timeZone, now: state.now) }
        let text = clock.map { texts("screen.lost", ["time": $0]) } ?? texts("screen.not_yet")
        return state.phone.lockScreen.isEmpty ? text : text + texts("screen.cards_stay")
    }

    /// - Parameter screens: the customer's connected screens.
    func full(_ screens: Int, _ state: ScreenState) -> String {
        let text = texts("screen.full", ["screens": String(screens)])
        return state.phone.lockScreen.isEmpty ? text : text + texts("screen.cards_stay")
    }

    /// Why there is no connection; nil while there is one, or the first one is being made.
    func trouble(_ state: ScreenState) -> String? {
        switch state.connection {
        case .connecting, .open: nil
        case .lost(let time): lost(since: time, state)
        case .full(let screens): full(screens, state)
        }
    }

    /// The text without a card; without a connection it is unknown whether a delivery is under way.
    func empty(_ state: ScreenState) -> String {
        if state.phone.permission == .switchedOff { return texts("screen.activities_off") }
        return switch state.connection {
        case .open: texts("screen.nothing_yet")
        case .connecting, .lost, .full: texts("screen.not_connected")
        }
    }

    func emptyIsland(_ phone: Phone) -> String {
        texts(phone.hasIsland ? "screen.island_empty" : "screen.no_island")
    }

    func moreLines(_ count: Int) -> String { texts("screen.more", ["count": String(count)]) }

    func more(_ count: Int) -> String { texts("screen.more_tab", ["count": String(count)]) }

    func noButton(_ digit: Int) -> String { texts("screen.no_button", ["digit": String(digit)]) }

    func justChanged(_ key: Character) -> String { texts("screen.just_changed", ["key": String(key)]) }

    /// `y`, and what the word for yes begins with in the language.
    func isYes(_ key: Character) -> Bool { key == "y" || String(key) == texts("screen.yes") }

    /// The keys that work now.
    func keys(_ state: ScreenState) -> [String] {
        if state.keys.question != nil { return ["yes", "no", "quit"].map(key) }
        var keys: [String] = []
        if !state.keys.confirmed.isEmpty { keys.append(key("undo")) }
        let digits = ButtonDigits.of(state.focusedCard?.content.buttons ?? []).compactMap(\.self).sorted()
        if !digits.isEmpty { keys.append(digits.map { "\($0)" }.joined(separator: " ") + texts("screen.press")) }
        switch state.side {
        case .lockScreen:
            if state.phone.lockScreen.count > 1 { keys.append(key("tab")) }
            if state.focusedCard != nil { keys.append(key("dismiss")) }
            if state.phone.hasIsland { keys.append(key("island")) }
        case .island:
            if state.phone.islandCardShown != nil {
                keys += [state.phone.isIslandExpanded ? "close" : "expand", "hide", "other_app"].map(key)
            }
            keys.append(key("lock_screen"))
        }
        keys.append(key("light"))
        if state.phone.permission == .switchedOff { keys.append(key("switch_on")) }
        return keys + [key("quit")]
    }

    private func key(_ name: String) -> String { texts("screen.key.\(name)") }
}
