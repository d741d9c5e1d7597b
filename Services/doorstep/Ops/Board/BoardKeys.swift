import CommandOutput

/// The list of the board's keys, which `?` shows.
enum BoardKeys {
    private static let all: [(keys: String, effect: String)] = [
        ("↑ ↓  k j", "select a delivery, the worst first"), ("page up, page down", "move ten rows"),
        ("enter  w", "show why: events, cards and the next action"),
        ("a", "assign a courier; a preview comes first for marked ones"),
        ("space", "mark, or unmark"), ("c", "mark all deliveries of the selected one's courier"),
        ("z", "undo the last move of marked deliveries"), ("h", "put on hold, or release"),
        ("s", "set a status that can follow"),
        ("l", "list late deliveries only, or all"), ("u", "list deliveries that need a courier only, or all"),
        ("/", "find by reference, customer, name, street or phone number"),
        ("esc", "clear selection and marks, then the filters; close a page"),
        ("tab", "complete an answer"), ("?", "show these keys"), ("q", "quit"),
    ]

    /// - Parameter columns: of the terminal.
    static func lines(columns: Int) -> [String] {
        let width = all.map(\.keys.columns).max() ?? 0
        return [""]
            + all.map { keys, effect in
                (" " + keys + String(repeating: " ", count: width - keys.columns) + "  " + effect)
                    .shortened(to: columns)
            }
    }
}
