internal import TextCoding

/// Checks JSON and finds where its values are, without making anything of them.
///
/// A stand-in for Apple's service checks every body and decodes few: most of a load test's pushes are dropped by their
/// timestamp or a budget. Numbers and escapes are checked as RFC 8259 has them.
struct JSONScanner {
    /// Objects and arrays inside one another; deeper is refused, so that no body exhausts the stack.
    static let depthMax = 64

    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var index: Int
    private let end: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, in range: Range<Int>) {
        self.bytes = bytes
        index = range.lowerBound
        end = range.upperBound
    }

    /// Whether nothing but white space is left.
    mutating func isAtEnd() -> Bool {
        skipSpace()
        return index == end
    }

    /// Reads an object and hands over each key, quotes left out, with where its value is.
    ///
    /// - Returns: false where it is not a valid object.
    mutating func object(depth: Int = 0, _ member: (_ key: Range<Int>, _ value: Range<Int>) -> Void) -> Bool {
        skipSpace()
        guard depth < Self.depthMax, consume(UInt8(ascii: "{")) else { return false }
        skipSpace()
        if consume(UInt8(ascii: "}")) { return true }
        while true {
            skipSpace()
            let keyStart = index + 1
            guard string() else { return false }
            let key = keyStart..<(index - 1)
            skipSpace()
            guard consume(UInt8(ascii: ":")) else { return false }
            skipSpace()
            let valueStart = index
            guard value(depth: depth + 1) else { return false }
            member(key, valueStart..<index)
            skipSpace()
            if consume(UInt8(ascii: "}")) { return true }
            guard consume(UInt8(ascii: ",")) else { return false }
        }
    }

    private mutating func value(depth: Int) -> Bool {
        skipSpace()
        guard index < end else { return false }
        switch bytes[index] {
        case UInt8(ascii: "{"): return object(depth: depth) { _, _ in }
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "t"): return word("true")
        case UInt8(ascii: "f"): return word("false")
        case UInt8(ascii: "n"): return word("null")
        default: return number()
        }
    }

    private mutating func array(depth: Int) -> Bool {
        guard depth < Self.depthMax, consume(UInt8(ascii: "[")) else { return false }
        skipSpace()
        if consume(UInt8(ascii: "]")) { return true }
        while true {
            guard value(depth: depth + 1) else { return false }
            skipSpace()
            if consume(UInt8(ascii: "]")) { return true }
            guard consume(UInt8(ascii: ",")) else { return false }
        }
    }

    private mutating func string() -> Bool {
        guard consume(UInt8(ascii: "\"")) else { return false }
        while index < end {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return true }
            if byte < 0x20 { return false }
            guard byte == UInt8(ascii: "\\") else { continue }
            guard index < end else { return false }
            let escaped = bytes[index]
            index += 1
            switch escaped {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
                UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                continue
            case UInt8(ascii: "u"):
                guard index + 4 <= end, bytes[index..<(index + 4)].allSatisfy({ $0.hexadecimalDigit != nil })
                else { return false }
                index += 4
            default: return false
            }
        }
        return false
    }

    private mutating func number() -> Bool {
        _ = consume(UInt8(ascii: "-"))
        if consume(UInt8(ascii: "0")) {
            // A leading zero stands alone.
        } else if !digits() {
            return false
        }
        if consume(UInt8(ascii: ".")), !digits() { return false }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            if !consume(UInt8(ascii: "+")) { _ = consume(UInt8(ascii: "-")) }
            return digits()
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = index
        while index < end, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
        return index > start
    }

    private mutating func word(_ word: StaticString) -> Bool {
        guard index + word.utf8CodeUnitCount <= end else { return false }
        for offset in 0..<word.utf8CodeUnitCount where bytes[index + offset] != word.utf8Start[offset] { return false }
        index += word.utf8CodeUnitCount
        return true
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard index < end, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while index < end {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }
}
