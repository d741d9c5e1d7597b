import LiveActivity

/// The brightness of the screen for which a card is drawn.
enum Appearance: String, CaseIterable, Hashable, Sendable {
    case light, dark
    /// Luminance reduced: dim, without timers, because nothing moves on it.
    case alwaysOn = "always-on"
}

/// Colours of the terminal's 256 for one appearance.
struct Palette: Hashable, Sendable {
    let appearance: Appearance

    /// The row with colours, or without where `colors` is false.
    func render(_ line: Line, tint: Tint, colors: Bool) -> String {
        guard colors else { return line.text }
        let base = "\u{1B}[0;38;5;\(grays.text);48;5;\(grays.background)m"
        let body = line.spans.map { span in base + escape(span.style, tint) + span.text }.joined()
        return body + "\u{1B}[0m"
    }

    func render(_ drawing: Drawing, colors: Bool) -> [String] {
        drawing.lines.map { render($0, tint: drawing.tint, colors: colors) }
    }

    private func escape(_ style: Line.Style, _ tint: Tint) -> String {
        switch style {
        case .plain: ""
        case .strong: "\u{1B}[1m"
        case .quiet: "\u{1B}[38;5;\(grays.quiet)m"
        case .keyline: "\u{1B}[38;5;\(keyline(tint))m"
        case .strongKeyline: "\u{1B}[1;38;5;\(keyline(tint))m"
        }
    }

    private var grays: (background: Int, text: Int, quiet: Int) {
        switch appearance {
        case .light: (255, 234, 242)
        case .dark: (235, 255, 247)
        case .alwaysOn: (16, 248, 242)
        }
    }

    /// Each reads at 4.5 to 1 or better on its background, apart from always-on, which is dim on purpose.
    private func keyline(_ tint: Tint) -> Int {
        let colors = Self.keylines[tint] ?? Self.grayKeyline
        return switch appearance {
        case .light: colors.light
        case .dark: colors.dark
        case .alwaysOn: colors.dim
        }
    }

    private struct Keyline: Hashable {
        let light: Int
        let dark: Int
        let dim: Int
    }

    private static let grayKeyline = Keyline(light: 240, dark: 250, dim: 240)

    private static let keylines: [Tint: Keyline] = [
        .blue: Keyline(light: 25, dark: 111, dim: 67),
        .teal: Keyline(light: 23, dark: 80, dim: 66),
        .indigo: Keyline(light: 55, dark: 147, dim: 61),
        .green: Keyline(light: 22, dark: 114, dim: 65),
        .mint: Keyline(light: 29, dark: 121, dim: 72),
        .purple: Keyline(light: 90, dark: 183, dim: 96),
        .orange: Keyline(light: 130, dark: 215, dim: 136),
        .cyan: Keyline(light: 24, dark: 117, dim: 67),
        .gray: grayKeyline,
    ]
}
