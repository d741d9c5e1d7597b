import CardPresentation
import CommandOutput

/// The line from the store to the door, with its four stops.
struct ProgressLine {
    let progress: Double
    /// Whether the first stop is reached.
    var hasBegun = true
    let marker: CardFace.Marker
    let columns: Int

    /// The line: drawn through behind the marker, dotted ahead of it.
    var line: Line {
        let head = column(min(max(progress, 0), 1))
        let stopColumns = CardFace.stops.map(column)
        let behind = marker == .lost ? stopColumns.last { $0 <= head } ?? 0 : head
        let markerColumn = stopColumns.contains(head) && marker != .moving ? min(head + 2, columns - 1) : head
        var line = Line()
        for index in 0..<columns {
            if index == markerColumn, !stopColumns.contains(index) || marker != .moving {
                line += Line(marker.rawValue, .strongKeyline)
            } else if stopColumns.contains(index) {
                line += hasBegun && index <= head ? Line("●", .keyline) : Line("○", .quiet)
            } else {
                line += index < behind ? Line("━", .keyline) : Line("╌", .quiet)
            }
        }
        return line
    }

    /// The stops' names, each under its stop; the last one ends with the line.
    func labels(_ names: [String]) -> Line {
        let head = column(min(max(progress, 0), 1))
        var line = Line()
        for (index, (name, stop)) in zip(names, CardFace.stops.map(column)).enumerated() {
            let isLast = index == names.count - 1
            let next = isLast ? columns : column(CardFace.stops[index + 1])
            let room = isLast ? columns - line.columns : next - stop - 1
            let text = name.shortened(to: room)
            let start = isLast ? columns - text.columns : stop
            line += .spaces(start - line.columns)
            line += Line(text, hasBegun && stop <= head ? .plain : .quiet)
        }
        return line.padded(to: columns)
    }

    private func column(_ share: Double) -> Int {
        Int((share * Double(columns - 1)).rounded())
    }
}
