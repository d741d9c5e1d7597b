/// Bytes as hexadecimal digits, two each.
public enum Hexadecimal {
    /// Encodes in lower case.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The 16 digits of a number, in lower case.
    public static func encode(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Decodes digits in either case.
    ///
    /// - Returns: nil for a single digit, and for characters that are none.
    @inlinable
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let digit = character.hexadecimalDigit else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }
}
