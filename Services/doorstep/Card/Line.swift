import CommandOutput
import LiveActivity

/// A row of a card: spans of text, each in one style; no meaning is carried by style alone.
struct Line: Hashable, Sendable {
    struct Span: Hashable, Sendable {
        var text: String
        var style: Style
    }

    enum Style: Hashable, Sendable {
        case plain
        /// Text of high importance.
        case strong
        /// Text of low importance.
        case quiet
        /// The colour of the card's phase.
        case keyline
        /// The colour of the card's phase, read first.
        case strongKeyline
    }

    private(set) var spans: [Span]

    init(_ spans: [Span] = []) { self.spans = spans.filter { !$0.text.isEmpty } }

    init(_ text: String, _ style: Style = .plain) { self.init([Span(text: text, style: style)]) }

    var columns: Int { spans.reduce(0) { $0 + $1.text.columns } }

    /// The row without colours.
    var text: String { spans.map(\.text).joined() }

    static func + (one: Line, other: Line) -> Line { Line(one.spans + other.spans) }

    static func += (one: inout Line, other: Line) { one = one + other }

    static func spaces(_ count: Int) -> Line { Line(String(repeating: " ", count: max(0, count))) }

    /// The row in the terminal's own colours, as rows outside of cards are.
    func rendered(hasColors: Bool) -> String {
        guard hasColors else { return text }
        return spans.map { span in
            switch span.style {
            case .plain, .keyline: span.text
            case .strong, .strongKeyline: "\u{1B}[1m\(span.text)\u{1B}[0m"
            case .quiet: "\u{1B}[2m\(span.text)\u{1B}[0m"
            }
        }.joined()
    }

    /// The row with blanks at its end up to `columns`.
    func padded(to columns: Int) -> Line { self + .spaces(columns - self.columns) }

    /// The row in the middle of `columns`; an odd blank goes to the right.
    func centered(in columns: Int) -> Line {
        (.spaces((columns - self.columns) / 2) + self).padded(to: columns)
    }

    /// Two ends of a row `columns` wide: the right one keeps its room, the left one is shortened where it must be.
    static func ends(
        _ left: String, _ leftStyle: Style = .plain, _ right: String, _ rightStyle: Style = .plain, columns: Int
    ) -> Line {
        let rightText = right.shortened(to: columns)
        let room = columns - rightText.columns - (rightText.isEmpty ? 0 : 2)
        let leftText = left.shortened(to: max(0, room))
        return Line(leftText, leftStyle) + .spaces(columns - leftText.columns - rightText.columns)
            + Line(rightText, rightStyle)
    }
}

/// A finished picture: rows of equal width, and the phase of its colour.
struct Drawing: Hashable, Sendable {
    var lines: [Line]
    let tint: Tint

    /// The rows without colours.
    var text: String { lines.map(\.text).joined(separator: "\n") }

    /// Rows in a frame of the phase's colour, each with a blank on both sides.
    ///
    /// - Parameter columns: of the whole frame; every row is padded to it.
    static func framed(_ rows: [Line], tint: Tint, columns: Int, isSelected: Bool = false) -> Drawing {
        let inner = columns - 4
        let edge = String(repeating: isSelected ? "━" : "─", count: columns - 2)
        let side = isSelected ? "┃" : "│"
        let style = Line.Style.keyline
        let corners = isSelected ? ["┏", "┓", "┗", "┛"] : ["╭", "╮", "╰", "╯"]
        let top = Line(corners[0] + edge + corners[1], style)
        let bottom = Line(corners[2] + edge + corners[3], style)
        let middle = rows.map { Line(side + " ", style) + $0.padded(to: inner) + Line(" " + side, style) }
        return Drawing(lines: [top] + middle + [bottom], tint: tint)
    }
}
