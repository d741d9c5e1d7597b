import CommandOutput
import InterfaceTexts
import LiveActivity

/// Draws this device's cards, an emulated phone, or both: side by side where there is room, else one above the other.
struct PairedScreen {
    /// Columns between the two.
    private static let gap = 4
    /// Rows that both need, one above the other.
    private static let stackedRowsMin = 34

    let words: Words
    let hasColors: Bool

    /// Rows for a terminal of this size, at most as many as it has.
    ///
    /// - Parameters:
    ///   - state: this device; nil where it is not followed.
    ///   - view: the emulated phone; nil where none is followed, or its state is unknown yet.
    func rows(_ state: ScreenState?, _ view: EmulatedPhoneView?, size: TerminalSize) -> [String] {
        let screen = Screen(words: words, hasColors: hasColors)
        var phone = EmulatedPhoneDrawing(words: words, hasColors: hasColors)
        guard let state else { return view.map { phone.rows($0, size: size, keys: keys($0)) } ?? [] }
        guard let view else { return screen.rows(state, size: size) }
        phone.appearance = state.appearance
        let half = (size.columns - Self.gap) / 2
        if half >= LockScreenDrawing.columns, size.rows > 2 {
            let part = TerminalSize(columns: half, rows: size.rows - 2)
            return Self.beside(
                [title(words.texts("screen.this_terminal"), columns: half), ""] + screen.rows(state, size: part),
                [title(words.texts("screen.emulated_phone"), columns: half), ""] + phone.rows(view, size: part),
                columns: half + Self.gap)
        }
        guard size.rows >= Self.stackedRowsMin else { return screen.rows(state, size: size) }
        phone.hasClock = false
        let above = TerminalSize(columns: size.columns, rows: size.rows * 9 / 20 - 1)
        let below = TerminalSize(columns: size.columns, rows: size.rows - above.rows - 2)
        return [title(words.texts("screen.this_terminal"), columns: size.columns)] + screen.rows(state, size: above)
            + [title(words.texts("screen.emulated_phone"), columns: size.columns)] + phone.rows(view, size: below)
    }

    private func keys(_ view: EmulatedPhoneView) -> [String] {
        view.phone.map { words.keys($0) } ?? []
    }

    private func title(_ text: String, columns: Int) -> String {
        let rule = String(repeating: "─", count: 3)
        return Line("\(rule) \(text) \(rule)", .quiet).centered(in: columns).rendered(hasColors: hasColors)
    }

    /// Puts the rows of two pictures next to one another.
    private static func beside(_ left: [String], _ right: [String], columns: Int) -> [String] {
        (0..<max(left.count, right.count)).map { index in
            let one = index < left.count ? left[index] : ""
            let other = index < right.count ? right[index] : ""
            return other.isEmpty ? one : one + String(repeating: " ", count: max(0, columns - visible(one))) + other
        }
    }

    /// The columns of a row on the screen, without escape sequences.
    private static func visible(_ row: String) -> Int {
        row.replacing(/\u{1B}\[[0-9;]*m/, with: "").columns
    }
}
