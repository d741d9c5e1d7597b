import LiveActivity

extension String {
    /// The text without the characters that change the direction of later text.
    package var withoutDirectionControls: String {
        guard unicodeScalars.contains(where: \.isDirectionControl) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isDirectionControl }))
    }

    /// A sentence without those characters, but for isolates that begin and end in it: a text that is written from right
    /// to left has them around names.
    package var withIsolatesAlone: String {
        guard unicodeScalars.contains(where: \.isDirectionControl) else { return self }
        var (kept, open) = (String.UnicodeScalarView(), 0)
        for scalar in unicodeScalars {
            switch scalar {
            case "\u{2068}":
                open += 1
                kept.append(scalar)
            case "\u{2069}" where open > 0:
                open -= 1
                kept.append(scalar)
            case _ where scalar.isDirectionControl: break
            default: kept.append(scalar)
            }
        }
        return String(kept) + String(repeating: "\u{2069}", count: open)
    }

    /// A name as it stands in a sentence: isolated where it is written from right to left, so that the words around it
    /// keep their order (UAX #9, section 2.4).
    package var isolatedName: String { TextDirection.leftToRight.isolated(withoutDirectionControls) }
}

extension Unicode.Scalar {
    fileprivate var isDirectionControl: Bool {
        switch value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
