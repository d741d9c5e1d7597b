import CommandOutput
import LiveActivity
import PhoneRules

/// Everything that the live screen shows at one moment.
struct ScreenState: Sendable {
    /// Which side of the phone is shown.
    enum Side: Hashable, Sendable {
        case lockScreen, island
    }

    enum Connection: Hashable, Sendable {
        case connecting, open
        /// Closed; what is shown is from this time, epoch seconds.
        case lost(since: Int)
    }

    /// The answer to the last press, and until when it is shown, epoch seconds of the wall clock.
    struct Answer: Hashable, Sendable {
        let text: String
        let until: Int
    }

    var phone: Phone
    /// Epoch seconds of the domain's clock.
    var now: Int
    var side = Side.lockScreen
    /// The card whose buttons the digits press; the top one where this is not there.
    var selected: String?
    var answers: [String: Answer] = [:]
    var connection = Connection.connecting
    var appearance = Appearance.dark
    /// IANA name of the time zone of the clock above the cards: the selected card's, or this machine's.
    var timeZone: String { selectedCard?.attributes.timeZone ?? ownTimeZone }
    var ownTimeZone = "UTC"

    /// The card whose buttons the digits press: the island's while that is shown.
    var selectedCard: PhoneCard? {
        if side == .island, let card = phone.islandCardShown { return card }
        let cards = phone.lockScreen
        return cards.first { $0.id == selected } ?? cards.first
    }

    mutating func selectNext() {
        let cards = phone.lockScreen
        guard let current = selectedCard, let index = cards.firstIndex(where: { $0.id == current.id }) else { return }
        selected = cards[(index + 1) % cards.count].id
    }
}

extension Phone {
    /// The card in the island, whatever form it has there.
    var islandCardShown: PhoneCard? {
        switch island {
        case .empty: nil
        case .compact(let card), .expanded(let card), .minimal(let card, _): card
        }
    }
}

/// Draws the live screen: a pure function from what is known to rows of text.
struct Screen {
    let words: Words
    let hasColors: Bool

    private var phrases: ScreenPhrases { ScreenPhrases(language: words.language) }

    /// Rows for a terminal of this size, at most as many as it has.
    func rows(_ state: ScreenState, size: TerminalSize) -> [String] {
        let columns = LockScreenDrawing.columns
        guard size.columns >= columns else { return narrowRows(state, size: size) }
        let palette = Palette(appearance: state.appearance)
        let margin = String(repeating: " ", count: (size.columns - columns) / 2)
        let footer = footerLines(state, columns: columns)
        var rows = [clockLine(state, columns: columns)].map { render($0) }
        rows.append("")
        rows += pictures(state, palette: palette, rowsMax: size.rows - rows.count - footer.count - 1)
        let blanks = max(0, size.rows - rows.count - footer.count)
        rows += Array(repeating: "", count: blanks)
        rows += footer.map { render($0) }
        return rows.prefix(size.rows).map { $0.isEmpty ? "" : margin + $0 }
    }

    // MARK: - The phone

    private func pictures(_ state: ScreenState, palette: Palette, rowsMax: Int) -> [String] {
        switch state.side {
        case .island: islandRows(state, palette: palette)
        case .lockScreen: lockScreenRows(state, palette: palette, rowsMax: rowsMax)
        }
    }

    private func islandRows(_ state: ScreenState, palette: Palette) -> [String] {
        guard let card = state.phone.islandCardShown else { return [notice(phrases.emptyIsland(state.phone))] }
        let face = face(card, state)
        let island = IslandDrawing(face: face, answer: state.answers[card.id]?.text)
        let drawing =
            switch state.phone.island {
            case .empty, .compact: island.compact
            case .expanded: island.expanded
            case .minimal(_, .attached): island.minimalAttached
            case .minimal(_, .detached): island.minimalDetached
            }
        var rows = palette.render(drawing, colors: hasColors)
        if case .expanded = state.phone.island { return rows }
        if let answer = state.answers[card.id] { rows.append(notice(answer.text)) }
        return rows
    }

    /// Cards from the top; where they do not all fit, those around the selected one, and how many more there are.
    private func lockScreenRows(_ state: ScreenState, palette: Palette, rowsMax: Int) -> [String] {
        let cards = state.phone.lockScreen
        guard !cards.isEmpty else { return [notice(phrases.empty(state.phone))] }
        let selected = state.selectedCard?.id
        let drawings = cards.enumerated().map { index, card in
            LockScreenDrawing(
                face: face(card, state), answer: state.answers[card.id]?.text,
                isSelected: cards.count > 1 && card.id == selected, hasDigits: card.id == selected,
                question: index == 0 && state.phone.isAskingForPermission ? question : nil
            ).drawing
        }
        let first = cards.firstIndex { $0.id == selected } ?? 0
        var shown = first...first
        var used = drawings[first].lines.count
        while let next = Self.neighbour(
            of: shown, count: cards.count, fitting: { used + drawings[$0].lines.count + 1 <= rowsMax })
        {
            used += drawings[next].lines.count
            shown = min(shown.lowerBound, next)...max(shown.upperBound, next)
        }
        var rows = shown.flatMap { palette.render(drawings[$0], colors: hasColors) }
        let hidden = cards.count - shown.count
        if hidden > 0 { rows.append(notice(phrases.more(hidden))) }
        return rows
    }

    private static func neighbour(of shown: ClosedRange<Int>, count: Int, fitting fits: (Int) -> Bool) -> Int? {
        if shown.upperBound + 1 < count, fits(shown.upperBound + 1) { return shown.upperBound + 1 }
        if shown.lowerBound > 0, fits(shown.lowerBound - 1) { return shown.lowerBound - 1 }
        return nil
    }

    private var question: String { CardPhrases(language: words.language).question }

    private func face(_ card: PhoneCard, _ state: ScreenState) -> CardFace {
        CardFace(card, words: words, now: state.now, isAlwaysOn: state.appearance == .alwaysOn)
    }

    // MARK: - Around it

    private func clockLine(_ state: ScreenState, columns: Int) -> Line {
        Line(words.clock(state.now, timeZone: state.timeZone), .strong).centered(in: columns)
    }

    private func footerLines(_ state: ScreenState, columns: Int) -> [Line] {
        var lines: [Line] = []
        switch state.connection {
        case .open: break
        case .connecting: lines.append(Line(phrases.connecting, .quiet))
        case .lost(let time):
            lines.append(
                Line(phrases.lost(since: words.clock(time, timeZone: state.timeZone)).shortened(to: columns), .strong))
        }
        return lines + Self.rows(of: phrases.keys(state), columns: columns).map { Line($0, .quiet) }
    }

    /// Puts as many keys in a row as fit whole.
    private static func rows(of keys: [String], columns: Int) -> [String] {
        keys.reduce(into: []) { rows, key in
            let longer = rows.last.map { "\($0) · \(key)" }
            if let longer, longer.columns <= columns { rows[rows.count - 1] = longer } else { rows.append(key) }
        }
    }

    private func notice(_ text: String) -> String {
        render(Line(text.shortened(to: LockScreenDrawing.columns), .quiet).centered(in: LockScreenDrawing.columns))
    }

    /// Rows outside of cards are in the terminal's own colours.
    private func render(_ line: Line) -> String {
        guard hasColors else { return line.text }
        return line.spans.map { span in
            switch span.style {
            case .plain, .keyline: span.text
            case .strong, .strongKeyline: "\u{1B}[1m\(span.text)\u{1B}[0m"
            case .quiet: "\u{1B}[2m\(span.text)\u{1B}[0m"
            }
        }.joined()
    }

    private func narrowRows(_ state: ScreenState, size: TerminalSize) -> [String] {
        let cards = state.phone.lockScreen
        guard !cards.isEmpty else {
            return phrases.empty(state.phone).wrapped(to: size.columns, linesMax: size.rows)
        }
        let sentences = cards.flatMap { card in
            let text = card.content.spokenLabel(card.attributes, words: words, now: state.now).safeOnTerminal
            return text.wrapped(to: size.columns, linesMax: 6) + [""]
        }
        return Array(sentences.prefix(size.rows))
    }
}
