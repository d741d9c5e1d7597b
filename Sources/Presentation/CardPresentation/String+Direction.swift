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
    package var isolatedName: String {
        let name = withoutDirectionControls
        guard name.unicodeScalars.contains(where: \.isRightToLeft) else { return name }
        return "\u{2068}\(name)\u{2069}"
    }
}

extension Unicode.Scalar {
    fileprivate var isDirectionControl: Bool {
        switch value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether it is in one of the blocks that Unicode reserves for scripts from right to left.
    fileprivate var isRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
