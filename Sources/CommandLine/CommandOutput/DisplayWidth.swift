/// Terminal columns: 0 for combining marks, 2 for East Asian wide forms and pictographs.
///
/// - Source: Unicode Standard Annex 11, East Asian Width; "ambiguous" counts as narrow, as in terminals outside East
///   Asia.
extension Character {
    package var columns: Int {
        if let ascii = asciiValue { return ascii < 0x20 || ascii == 0x7F ? 0 : 1 }
        guard let first = unicodeScalars.first else { return 0 }
        if unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        if first.properties.isEmojiPresentation || first.isWide { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return 1
        }
    }
}

extension Unicode.Scalar {
    /// Blocks of wide and full-width characters.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]

    fileprivate var isWide: Bool {
        value >= 0x1100 && Self.wide.contains { $0.contains(value) }
    }
}

extension String {
    package var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The text in at most `columnsMax` columns, with `…` for the removed part.
    package func shortened(to columnsMax: Int) -> String {
        guard columns > columnsMax else { return self }
        guard columnsMax > 0 else { return "" }
        var kept = ""
        var used = 0
        for character in self {
            let columns = character.columns
            if used + columns > columnsMax - 1 { break }
            kept.append(character)
            used += columns
        }
        while kept.last == " " { kept.removeLast() }
        return kept + "…"
    }

    /// The text in lines of at most `columnsMax` columns, broken at spaces where there are any.
    ///
    /// - Parameter linesMax: the last of these lines is shortened where text is left over.
    package func wrapped(to columnsMax: Int, linesMax: Int) -> [String] {
        var lines: [String] = []
        var rest = self[...]
        while !rest.isEmpty, lines.count < linesMax {
            let text = String(rest)
            if text.columns <= columnsMax || lines.count == linesMax - 1 {
                lines.append(text.shortened(to: columnsMax))
                return lines
            }
            let end = Self.lineEnd(in: rest, columnsMax: columnsMax)
            lines.append(String(rest[..<end]))
            rest = rest[end...].drop { $0 == " " }
        }
        return lines
    }

    /// The text with each of its lines wrapped between words, as a terminal would wrap it within them.
    ///
    /// - Parameter columnsMax: of the terminal; nil where the output goes elsewhere, which leaves the text as it is.
    package func wrappedBetweenWords(to columnsMax: Int?) -> String {
        guard let columnsMax, columnsMax > 0 else { return self }
        return split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line).wrapped(to: columnsMax, linesMax: .max).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Wraps a text of parts joined by ` · `: only between parts where that suffices.
    package func wrappedBetweenParts(to columnsMax: Int, linesMax: Int) -> [String] {
        var lines: [String] = []
        for part in split(separator: " · ").map(String.init) {
            if let last = lines.last, "\(last) · \(part)".columns <= columnsMax {
                lines[lines.count - 1] = "\(last) · \(part)"
            } else {
                lines.append(part)
            }
        }
        let fits = lines.count <= linesMax && lines.allSatisfy { $0.columns <= columnsMax }
        return fits ? lines : wrapped(to: columnsMax, linesMax: linesMax)
    }

    private static func lineEnd(in text: Substring, columnsMax: Int) -> Index {
        var used = 0
        var lastSpace: Index?
        for index in text.indices {
            if text[index] == " " { lastSpace = index }
            used += text[index].columns
            if used > columnsMax { return lastSpace ?? Swift.max(index, text.index(after: text.startIndex)) }
        }
        return text.endIndex
    }
}
