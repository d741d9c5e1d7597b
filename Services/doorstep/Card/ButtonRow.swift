import CardPresentation
import CommandOutput

/// Pseudo-buttons in one row, each with its digit; where whole titles have no room, the row uses as many short titles
/// as necessary, and only then cuts titles.
struct ButtonRow {
    let buttons: [CardFace.Button]
    let hasDigits: Bool
    let columns: Int

    /// Columns between two buttons; the smaller number where a title would be cut otherwise.
    private static let gaps = (wide: 3, narrow: 2)

    var line: Line {
        guard !buttons.isEmpty else { return Line() }
        let marks = ButtonDigits.of(verbs: buttons.map(\.verb)).map(mark)
        let marksColumns = marks.reduce(0) { $0 + $1.columns }
        let gapsColumns = Self.gaps.narrow * (buttons.count - 1)
        let titles = titles(in: columns - gapsColumns - marksColumns)
        let titlesColumns = titles.reduce(0) { $0 + $1.columns }
        let fitsWide = marksColumns + titlesColumns + Self.gaps.wide * (buttons.count - 1) <= columns
        let gap = fitsWide ? Self.gaps.wide : Self.gaps.narrow
        let room = columns - gap * (buttons.count - 1) - marksColumns
        var line = Line()
        for (index, title) in Self.share(room, among: titles).enumerated() {
            if index > 0 { line += .spaces(gap) }
            line += marks[index] + Line(title, hasDigits ? .plain : .quiet)
        }
        return line
    }

    /// The whole titles, or short ones for those that save the most, until all fit in `room` columns.
    private func titles(in room: Int) -> [String] {
        var titles = buttons.map(\.title)
        let saved = buttons.map { $0.title.columns - $0.shortTitle.columns }
        for index in buttons.indices.sorted(by: { saved[$0] > saved[$1] }) where saved[index] > 0 {
            if titles.reduce(0, { $0 + $1.columns }) <= room { break }
            titles[index] = buttons[index].shortTitle
        }
        return titles
    }

    private func mark(_ digit: Int?) -> Line {
        guard hasDigits, let digit else { return Line("· ", .quiet) }
        return Line("[\(digit)] ", .strongKeyline)
    }

    /// Shortens the longest titles first, until all fit.
    private static func share(_ room: Int, among titles: [String]) -> [String] {
        var rooms = titles.map(\.columns)
        while rooms.reduce(0, +) > max(room, 0), let widest = rooms.max(), widest > 1,
            let index = rooms.firstIndex(of: widest)
        {
            rooms[index] -= 1
        }
        return zip(titles, rooms).map { $0.shortened(to: $1) }
    }
}
