import CardPresentation
import CommandOutput
import InterfaceTexts
import LiveActivity
import PhoneRules

/// Draws the live screen: a pure function from the state to rows of text.
struct Screen {
    let words: Words
    let hasColors: Bool

    /// Rows for a terminal of this size.
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
        case .island: islandRows(state, palette: palette, rowsMax: rowsMax)
        case .lockScreen: lockScreenRows(state, palette: palette, rowsMax: rowsMax)
        }
    }

    private func islandRows(_ state: ScreenState, palette: Palette, rowsMax: Int) -> [String] {
        guard let card = state.phone.islandCardShown else { return [notice(words.emptyIsland(state.phone))] }
        let face = face(card, state)
        let message = message(for: card, state)
        let island = IslandDrawing(
            face: face, answer: message,
            other: (state.phone.otherApps.first?.kind ?? .app).islandText(in: words))
        let drawing =
            switch state.phone.island {
            case .empty, .compact: island.compact
            case .expanded: island.expanded
            case .minimal(_, .attached): island.minimalAttached
            case .minimal(_, .detached): island.minimalDetached
            }
        var rows = palette.render(drawing, colors: hasColors)
        if case .expanded = state.phone.island {
            return rows + detailRows(of: card, state, rowsMax: rowsMax - rows.count)
        }
        let columns = LockScreenDrawing.columns
        rows += (message ?? "").wrapped(to: columns, linesMax: 2).map(notice)
        return rows
    }

    /// The rows of requested details, as many as fit.
    private func detailRows(of card: PhoneCard?, _ state: ScreenState, rowsMax: Int) -> [String] {
        guard let card, let lines = state.answers[card.id]?.lines, !lines.isEmpty, rowsMax > 0 else { return [] }
        let columns = LockScreenDrawing.columns - 4
        let whole = lines.map { line in
            line.wrapped(to: columns, linesMax: 3).enumerated().map { $0 == 0 ? "  \($1)" : "    \($1)" }
        }
        if whole.reduce(0, { $0 + $1.count }) <= rowsMax { return whole.flatMap(\.self) }
        var rows: [String] = []
        var hidden = whole.count
        for line in whole {
            if rows.count + line.count > rowsMax - 1 { break }
            rows += line
            hidden -= 1
        }
        return rows + ["  \(words.moreLines(hidden))"]
    }

    /// Cards from the top; where they do not all fit, those around the focused one, and the number of hidden ones.
    private func lockScreenRows(_ state: ScreenState, palette: Palette, rowsMax: Int) -> [String] {
        let cards = state.phone.lockScreen
        guard !cards.isEmpty else { return [notice(words.empty(state))] }
        let focused = state.focusedCard?.id
        let drawings = cards.enumerated().map { index, card in
            LockScreenDrawing(
                face: face(card, state), answer: message(for: card, state),
                isSelected: cards.count > 1 && card.id == focused, hasDigits: card.id == focused,
                question: index == 0 && state.phone.isAskingForPermission ? question : nil
            ).drawing
        }
        let first = cards.firstIndex { $0.id == focused } ?? 0
        var shown = first...first
        let details = detailRows(of: state.focusedCard, state, rowsMax: rowsMax - drawings[first].lines.count)
        var used = drawings[first].lines.count + details.count
        while let next = Self.neighbour(
            of: shown, count: cards.count, fitting: { used + drawings[$0].lines.count + 1 <= rowsMax })
        {
            used += drawings[next].lines.count
            shown = min(shown.lowerBound, next)...max(shown.upperBound, next)
        }
        var rows = shown.flatMap { index in
            palette.render(drawings[index], colors: hasColors) + (index == first ? details : [])
        }
        let hidden = cards.count - shown.count
        if hidden > 0 { rows.append(notice(words.more(hidden))) }
        return rows
    }

    private static func neighbour(of shown: ClosedRange<Int>, count: Int, fitting fits: (Int) -> Bool) -> Int? {
        if shown.upperBound + 1 < count, fits(shown.upperBound + 1) { return shown.upperBound + 1 }
        if shown.lowerBound > 0, fits(shown.lowerBound - 1) { return shown.lowerBound - 1 }
        return nil
    }

    private var question: String { words.texts("card.permission") }

    /// The text in place of a card's buttons: a question, a countdown, or the answer to a press.
    private func message(for card: PhoneCard, _ state: ScreenState) -> String? {
        if let question = state.keys.question, question.card == card.id { return words.question(question.action) }
        if let waiting = state.keys.confirmed.first(where: { $0.card == card.id }) {
            return words.countdown(waiting.action, seconds: state.keys.secondsLeft(of: waiting))
        }
        return state.answers[card.id]?.text
    }

    private func face(_ card: PhoneCard, _ state: ScreenState) -> CardFace {
        CardFace(card, words: words, now: state.now, isAlwaysOn: state.appearance == .alwaysOn, in: .terminal)
    }

    // MARK: - Around it

    private func clockLine(_ state: ScreenState, columns: Int) -> Line {
        Line(words.time(state.now, timeZone: state.timeZone, now: state.now), .strong).centered(in: columns)
    }

    private func footerLines(_ state: ScreenState, columns: Int) -> [Line] {
        var lines: [Line] = []
        if case .connecting = state.connection { lines.append(Line(words.texts("screen.connecting"), .quiet)) }
        lines += (words.trouble(state) ?? "").wrapped(to: columns, linesMax: 2).map { Line($0, .strong) }
        lines += otherCountdowns(state).flatMap { $0.wrapped(to: columns, linesMax: 2) }.map { Line($0, .strong) }
        return lines + Self.rows(of: words.keys(state), columns: columns).map { Line($0, .quiet) }
    }

    /// Confirmed actions of cards without the focus.
    private func otherCountdowns(_ state: ScreenState) -> [String] {
        state.keys.confirmed.filter { $0.card != state.focusedCard?.id }.map { waiting in
            let name = state.phone[card: waiting.card]?.attributes.reference?.safeOnTerminal
            let text = words.countdown(waiting.action, seconds: state.keys.secondsLeft(of: waiting))
            return [name, text].compactMap(\.self).joined(separator: ": ")
        }
    }

    /// Fills rows with as many whole keys as fit.
    static func rows(of keys: [String], columns: Int) -> [String] {
        keys.reduce(into: []) { rows, key in
            let longer = rows.last.map { "\($0) · \(key)" }
            if let longer, longer.columns <= columns { rows[rows.count - 1] = longer } else { rows.append(key) }
        }
    }

    private func notice(_ text: String) -> String {
        render(Line(text.shortened(to: LockScreenDrawing.columns), .quiet).centered(in: LockScreenDrawing.columns))
    }

    /// Rows outside of cards are in the terminal's own colours.
    private func render(_ line: Line) -> String { line.rendered(hasColors: hasColors) }

    private func narrowRows(_ state: ScreenState, size: TerminalSize) -> [String] {
        var texts = [words.trouble(state)].compactMap(\.self) + otherCountdowns(state)
        if let card = state.focusedCard, let message = message(for: card, state) {
            texts += [message] + (state.answers[card.id]?.lines ?? [])
        }
        let cards = state.phone.lockScreen
        if state.phone.isAskingForPermission { texts.append(question) }
        texts += cards.map { words.sentence($0, now: state.now) }
        if cards.isEmpty { texts.append(words.empty(state)) }
        let rows = texts.flatMap { $0.wrapped(to: size.columns, linesMax: 6) + [""] }
        return Array(rows.dropLast().prefix(size.rows))
    }
}
