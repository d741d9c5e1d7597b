import CardPresentation
import CommandOutput
import EmulatorAPI
import InterfaceTexts
import LiveActivity
import PhoneRules

/// Draws an emulated phone: its island, its Lock Screen, its state, and the outcomes of its last pushes.
struct EmulatedPhoneDrawing {
    /// The most pushes listed below the phone.
    static let pushesMax = 3

    let words: Words
    let hasColors: Bool
    var appearance = Appearance.dark
    /// Whether the phone's time is above it.
    var hasClock = true

    private static let columns = LockScreenDrawing.columns

    /// Rows for a terminal of this size, the state of the phone at the bottom.
    ///
    /// - Parameter keys: the help of the keys, for the last row; empty where the keys control another device.
    func rows(_ view: EmulatedPhoneView, size: TerminalSize, keys: [String] = []) -> [String] {
        guard size.columns >= Self.columns else { return narrowRows(view, size: size) }
        let margin = String(repeating: " ", count: (size.columns - Self.columns) / 2)
        let clock = Line(words.time(view.now, timeZone: timeZone(view), now: view.now), .strong).centered(
            in: Self.columns)
        let top = hasClock ? [render(clock), ""] : []
        let footer = footer(view, keys: keys, isShort: size.rows < 24)
        let pictures = pictures(view, rowsMax: size.rows - top.count - footer.count)
        let blanks = max(0, size.rows - top.count - pictures.count - footer.count)
        let rows = top + pictures + Array(repeating: "", count: blanks) + footer.map(render)
        return rows.prefix(size.rows).map { $0.isEmpty ? "" : margin + $0 }
    }

    /// The phone once, as tall as it is.
    func picture(_ view: EmulatedPhoneView) -> [String] {
        pictures(view, rowsMax: Int.max) + [""] + footer(view, keys: [], isShort: false).map(render)
    }

    // MARK: - The phone

    private func pictures(_ view: EmulatedPhoneView, rowsMax: Int) -> [String] {
        var rows = islandRows(view)
        let cards = view.lockScreen
        guard !cards.isEmpty else { return Array((rows + [notice(words.empty(view))]).prefix(max(0, rowsMax))) }
        // The one in the island is on the Lock Screen too: in a low terminal that is enough.
        let drawings = cards.map { LockScreenDrawing(face: face($0, view), hasDigits: false).drawing }
        let isTight = rows.count + (drawings.first?.lines.count ?? 0) > rowsMax
        // An open island covers the rest.
        if isTight, view.island?.form == .expanded { return Array(rows.prefix(max(0, rowsMax))) }
        if isTight { rows = [] }
        var shown = 0
        for drawing in drawings {
            let isLast = shown + 1 == drawings.count
            guard rows.count + drawing.lines.count + (isLast ? 0 : 1) <= rowsMax else { break }
            rows += palette.render(drawing, colors: hasColors)
            shown += 1
        }
        if shown < drawings.count { rows.append(notice(words.moreLines(drawings.count - shown))) }
        return Array(rows.prefix(max(0, rowsMax)))
    }

    private func islandRows(_ view: EmulatedPhoneView) -> [String] {
        guard let phone = view.phone else { return [] }
        var rows: [String] = []
        if let (card, form) = view.island {
            let island = IslandDrawing(
                face: face(card, view), hasDigits: false,
                other: (phone.otherApps.first ?? .app).islandText(in: words))
            let drawing: Drawing? =
                switch form {
                case .empty: nil
                case .compact: island.compact
                case .expanded: island.expanded
                case .minimal: phone.island.place == .detached ? island.minimalDetached : island.minimalAttached
                }
            if let drawing { rows += palette.render(drawing, colors: hasColors) }
        }
        if let (card, alert) = view.alerted {
            rows.append(notice(words.alert(text(alert.content, card, view), isBanner: !phone.hasIsland)))
        }
        return rows
    }

    /// An alert's words: the app's own in its language, which here are the English ones where it has none.
    private func text(_ alert: PushAlert, _ card: PhoneCard, _ view: EmulatedPhoneView) -> String {
        [alert.title, alert.body].map {
            words.text(
                $0, fallback: card.content.headline, timeZone: card.attributes.timeZone, now: view.now
            ).safeOnTerminal
        }.joined(separator: ": ")
    }

    private func face(_ card: PhoneCard, _ view: EmulatedPhoneView) -> CardFace {
        CardFace(card, words: words, now: view.now, isAlwaysOn: appearance == .alwaysOn, in: .terminal)
    }

    private var palette: Palette { Palette(appearance: appearance) }

    // MARK: - Around it

    private func footer(_ view: EmulatedPhoneView, keys: [String], isShort: Bool) -> [Line] {
        var lines: [Line] = []
        if case .lost = view.connection { lines.append(Line(words.texts("phone.lost"), .strong)) }
        if let phone = view.phone {
            lines += words.state(phone).wrapped(to: Self.columns, linesMax: 3).map { Line($0, .strong) }
            if !isShort { lines.append(Line(words.budgets(phone).shortened(to: Self.columns), .quiet)) }
            let pushes = (phone.pushes ?? []).suffix(isShort ? 1 : Self.pushesMax).reversed()
            lines += pushes.map { Line(push($0, view).shortened(to: Self.columns), .quiet) }
        } else if case .connecting = view.connection {
            lines.append(Line(words.texts("phone.connecting"), .quiet))
        }
        return lines + Screen.rows(of: keys, columns: Self.columns).map { Line($0, .quiet) }
    }

    private func push(_ push: PushLogLine, _ view: EmulatedPhoneView) -> String {
        words.push(push, at: words.time(push.at, timeZone: timeZone(view), now: view.now))
    }

    private func timeZone(_ view: EmulatedPhoneView) -> String {
        view.lockScreen.first?.attributes.timeZone ?? view.cards.last?.attributes.timeZone ?? "UTC"
    }

    private func notice(_ text: String) -> String {
        render(Line(text.shortened(to: Self.columns), .quiet).centered(in: Self.columns))
    }

    /// Rows outside of cards are in the terminal's own colours.
    private func render(_ line: Line) -> String { line.rendered(hasColors: hasColors) }

    private func narrowRows(_ view: EmulatedPhoneView, size: TerminalSize) -> [String] {
        var texts = view.lockScreen.map { words.sentence($0, now: view.now) }
        if texts.isEmpty { texts.append(words.empty(view)) }
        if let phone = view.phone { texts.append(words.state(phone)) }
        return Array(texts.flatMap { $0.wrapped(to: size.columns, linesMax: 6) + [""] }.dropLast().prefix(size.rows))
    }
}
