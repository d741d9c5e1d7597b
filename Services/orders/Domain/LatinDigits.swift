extension Unicode.Scalar {
    /// The value of a decimal digit, of any script; nil for every other sign.
    var digitValue: Int? { properties.numericType == .decimal ? properties.numericValue.map { Int($0) } : nil }
}

extension String {
    /// The text with 0 to 9 in place of the digits of other scripts, as a keypad of Arabic or Hindi has them.
    var withLatinDigits: String {
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars {
            if let value = scalar.digitValue {
                scalars.append(contentsOf: String(value).unicodeScalars)
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}
