import CommandOutput

/// The columns of the board that fit a terminal, and how wide each is.
struct BoardColumns {
    /// A column; the most necessary ones come first.
    enum Column: String, CaseIterable {
        case mark, late, order, customer, status, courier, promised, expected, miss, flags, cards, id

        var title: String { self == .mark ? "" : rawValue.uppercased() }

        /// Columns below which it is not shortened; nil where it is never shortened.
        var columnsMin: Int? {
            switch self {
            case .order, .customer: 8
            case .status: 9
            case .courier: 6
            case .flags: 12
            case .mark, .late, .promised, .expected, .miss, .cards, .id: nil
            }
        }

        /// Whether it is there on a terminal of 80 columns.
        var isNeeded: Bool { ![.miss, .flags, .cards, .id].contains(self) }
    }

    /// The columns dropped first where the required ones do not fit.
    private static let dropped: [Column] = [.expected, .courier, .customer, .promised]

    let shown: [(column: Column, width: Int)]

    /// - Parameters:
    ///   - cells: of every row that is shown.
    ///   - columns: of the terminal.
    init(_ cells: [[Column: String]], columns: Int) {
        var widths: [Column: Int] = [:]
        for column in Column.allCases {
            let widest = cells.map { ($0[column] ?? "").columns }.max() ?? 0
            // An optional column without values is omitted.
            widths[column] = widest == 0 && !column.isNeeded ? 0 : max(widest, column.title.columns)
        }
        var kept = Column.allCases.filter(\.isNeeded)
        func room() -> Int { columns - 1 - kept.reduce(0) { $0 + (widths[$1] ?? 0) + 1 } }
        while room() < 0 {
            // The widest of the columns that may be shortened loses a column.
            let widest = kept.filter { ($0.columnsMin ?? .max) < widths[$0] ?? 0 }.max { widths[$0]! < widths[$1]! }
            if let widest, let width = widths[widest] {
                widths[widest] = width - 1
            } else {
                guard let column = Self.dropped.first(where: kept.contains) else { break }
                kept.removeAll { $0 == column }
            }
        }
        for column in Column.allCases where !column.isNeeded {
            let width = widths[column] ?? 0
            let least = min(width, column.columnsMin ?? width)
            guard width > 0, room() >= least + 1 else { continue }
            widths[column] = min(width, room() - 1)
            kept.append(column)
        }
        shown = kept.map { ($0, widths[$0] ?? 0) }
    }

    /// A row: each cell shortened or padded to its column.
    func text(_ cells: [Column: String]) -> String {
        shown.map { column, width in
            let whole = cells[column] ?? ""
            // References of a shop begin alike.
            let text = column == .order ? whole.shortenedAtFront(to: width) : whole.shortened(to: width)
            return text + String(repeating: " ", count: width - text.columns)
        }.joined(separator: " ")
    }

    var header: String { text(Dictionary(uniqueKeysWithValues: Column.allCases.map { ($0, $0.title) })) }
}

extension String {
    /// The end of the text in at most `columnsMax` columns, with `…` for the removed part.
    fileprivate func shortenedAtFront(to columnsMax: Int) -> String {
        guard columns > columnsMax else { return self }
        var kept = self[...]
        while kept.reduce(0, { $0 + $1.columns }) > max(0, columnsMax - 1) { kept.removeFirst() }
        return columnsMax > 0 ? "…" + kept : ""
    }
}
