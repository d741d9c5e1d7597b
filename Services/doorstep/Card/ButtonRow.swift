/// Pseudo-buttons in one row, each with the digit that presses it; long titles share what room there is.
struct ButtonRow {
    let buttons: [CardFace.Button]
    let hasDigits: Bool
    let columns: Int

    /// Columns between two buttons; the smaller number where a title would be cut otherwise.
    private static let gaps = (wide: 3, narrow: 2)

    var line: Line {
        guard !buttons.isEmpty else { return Line() }
        let marks = buttons.map(mark)
        let titles = buttons.map(\.title)
        let marksColumns = marks.reduce(0) { $0 + $1.columns }
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

    private func mark(_ button: CardFace.Button) -> Line {
        guard hasDigits, let digit = button.digit else { return Line("· ", .quiet) }
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
