/// Where a text stops being JSON, for an answer to the sender of the text.
///
/// `JSONDecoder` accepts more than RFC 8259 does, such as a comma after the last member.
public struct JSONFault: Hashable, Sendable, CustomStringConvertible {
    /// Counted from one; a column is a character.
    public let line: Int
    public let column: Int
    /// The character there; nil at the text's end.
    public let character: Character?

    /// Nil for a text that is JSON in UTF-8, with or without a byte order mark.
    public init?(in bytes: [UInt8]) {
        let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let bytes = isMarked ? Array(bytes.dropFirst(3)) : bytes
        var scanner = JSONScanner()
        guard let offset = scanner.firstFault(in: bytes) else { return nil }
        let before = bytes[..<offset]
        line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        column = String(decoding: bytes[start..<offset], as: UTF8.self).count + 1
        // A character's bytes are four at most but for combined ones, of which the first is named.
        character = String(decoding: bytes[offset...].prefix(4), as: UTF8.self).first
    }

    /// `unexpected "}" at line 1, column 20`.
    public var description: String {
        let place = "at line \(line), column \(column)"
        guard let character else { return "it ends before it is complete, \(place)" }
        let scalar = character.unicodeScalars.first?.value ?? 0
        let isPrintable = (0x21...0x7E).contains(scalar) || scalar > 0xA0
        return "unexpected \(isPrintable ? "\"\(character)\"" : "U+\(hexadecimal(scalar))") \(place)"
    }

    private func hexadecimal(_ scalar: UInt32) -> String {
        let digits = String(scalar, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
