import NIOHTTP1

/// A key that writes no character.
///
/// - Source: https://www.w3.org/TR/webdriver2/#keyboard-actions, the table of normalised key values.
package enum Key: String, Sendable {
    case backspace = "\u{E003}"
    case tab = "\u{E004}"
    case shift = "\u{E008}"
    case control = "\u{E009}"
    case alt = "\u{E00A}"
    case escape = "\u{E00C}"
    case space = "\u{E00D}"
    case pageUp = "\u{E00E}"
    case pageDown = "\u{E00F}"
    case end = "\u{E010}"
    case home = "\u{E011}"
    case left = "\u{E012}"
    case up = "\u{E013}"
    case right = "\u{E014}"
    case down = "\u{E015}"
    case delete = "\u{E017}"
    case enter = "\u{E006}"
}

extension BrowserPage {
    private struct Actions: Encodable {
        let actions: [Source]

        struct Source: Encodable {
            let type = "key"
            let id = "keyboard"
            let actions: [Action]
        }

        struct Action: Encodable {
            let type: String
            let value: String

            static func down(_ value: String) -> Action { Action(type: "keyDown", value: value) }
            static func up(_ value: String) -> Action { Action(type: "keyUp", value: value) }
        }

        init(_ actions: [Action]) { self.actions = [Source(actions: actions)] }
    }

    /// Presses a key, wherever the focus is, while others are held down.
    package func press(_ key: Key, holding held: Key...) async throws {
        let down = held.map { Actions.Action.down($0.rawValue) }
        let up = held.reversed().map { Actions.Action.up($0.rawValue) }
        try await send(.POST, "/actions", Actions(down + [.down(key.rawValue), .up(key.rawValue)] + up))
    }

    /// Types text, wherever the focus is.
    package func type(_ text: String) async throws {
        try await send(.POST, "/actions", Actions(text.flatMap { [.down(String($0)), .up(String($0))] }))
    }
}
