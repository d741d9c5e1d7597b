extension String {
    /// The text with every control character replaced by a space, so that names from others cannot steer a terminal;
    /// isolates and marks of direction are left out, since a terminal has no directions to isolate or to mark.
    package var safeOnTerminal: String {
        guard unicodeScalars.contains(where: \.isUnsafeOnTerminal) else { return self }
        return String(
            String.UnicodeScalarView(
                unicodeScalars.filter { !$0.isIsolateOrMark }.map { $0.isUnsafeOnTerminal ? " " : $0 }))
    }

    /// The text, which is JSON, with every such character as an escape.
    package var jsonSafeOnTerminal: String {
        guard unicodeScalars.contains(where: \.isUnsafeOnTerminal) else { return self }
        return unicodeScalars.map { scalar in
            // Below 0x20 they are blanks between two values: within a text JSON has them as escapes already.
            if scalar.value < 0x20 { return " " }
            guard scalar.isUnsafeOnTerminal else { return String(scalar) }
            return "\\u" + String(0x1_0000 + scalar.value, radix: 16).dropFirst()
        }.joined()
    }
}

extension Unicode.Scalar {
    /// Whether it could move a cursor, start an escape sequence or change the direction of writing.
    fileprivate var isUnsafeOnTerminal: Bool {
        isIsolateOrMark || (0x2028...0x202E).contains(value) || properties.generalCategory == .control
    }

    fileprivate var isIsolateOrMark: Bool {
        switch value {
        case 0x061C, 0x200E, 0x200F, 0x2066...0x2069: true
        default: false
        }
    }
}
