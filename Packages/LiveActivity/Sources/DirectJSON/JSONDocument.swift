/// The positions of a JSON text's values; callers decode the values that they need.
struct JSONDocument {
    enum Kind: UInt8 {
        case null, `true`, `false`, number
        /// A text without escapes, and one with some.
        case text, escapedText
        case array, object
    }

    struct Value {
        let kind: Kind
        /// The range of the value's bytes, without the quotes of a text.
        var range: Range<Int>
        /// Elements of an array, or members of an object.
        var count = 0
        /// The index of the value after this one and its contents; members are a key and a value each.
        var next = 0
    }

    let bytes: [UInt8]
    let values: [Value]

    /// - Throws: `Unsupported` where it is not JSON in UTF-8 or is deeper than 64 levels.
    init(_ bytes: [UInt8]) throws(Unsupported) {
        // Invalid UTF-8 is repaired, and has other bytes then.
        let isUTF8 =
            !bytes.contains { $0 >= 0x80 } || String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
        guard isUTF8 else { throw Unsupported() }
        self.bytes = bytes
        var scanner = JSONScanner()
        values = try scanner.scan(bytes)
    }

    /// Bytes of a value's text or number.
    func withBytes<Result>(of index: Int, _ read: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let range = values[index].range
        return bytes.withUnsafeBufferPointer { read(UnsafeBufferPointer(rebasing: $0[range])) }
    }
}

/// Finds the values of a JSON text (RFC 8259) in one pass.
struct JSONScanner {
    /// Objects and arrays around a value at most.
    private static let depthMax = 64

    private var values: [JSONDocument.Value] = []
    private var index = 0
    private var depth = 0

    mutating func scan(_ bytes: [UInt8]) throws(Unsupported) -> [JSONDocument.Value] {
        values.reserveCapacity(bytes.count / 8 + 8)
        guard firstFault(in: bytes) == nil else { throw Unsupported() }
        return values
    }

    /// The offset of the first byte that no JSON text has there, at most that of the end; nil without a fault.
    mutating func firstFault(in bytes: [UInt8]) -> Int? {
        let isWhole = bytes.withUnsafeBufferPointer { bytes in
            guard value(in: bytes) else { return false }
            skipSpace(in: bytes)
            return index == bytes.count
        }
        return isWhole ? nil : min(index, bytes.count)
    }

    private mutating func value(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        skipSpace(in: bytes)
        guard index < bytes.count else { return false }
        switch bytes[index] {
        case UInt8(ascii: "{"): return members(in: bytes)
        case UInt8(ascii: "["): return elements(in: bytes)
        case UInt8(ascii: "\""): return text(in: bytes)
        case UInt8(ascii: "t"): return word("true", .true, in: bytes)
        case UInt8(ascii: "f"): return word("false", .false, in: bytes)
        case UInt8(ascii: "n"): return word("null", .null, in: bytes)
        default: return number(in: bytes)
        }
    }

    private mutating func members(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        container(.object, until: UInt8(ascii: "}"), in: bytes) { scanner in
            scanner.skipSpace(in: bytes)
            guard scanner.text(in: bytes), scanner.consume(UInt8(ascii: ":"), in: bytes) else { return false }
            return scanner.value(in: bytes)
        }
    }

    private mutating func elements(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        container(.array, until: UInt8(ascii: "]"), in: bytes) { scanner in scanner.value(in: bytes) }
    }

    private mutating func container(
        _ kind: JSONDocument.Kind, until end: UInt8, in bytes: UnsafeBufferPointer<UInt8>,
        item: (inout JSONScanner) -> Bool
    ) -> Bool {
        guard depth < Self.depthMax else { return false }
        depth += 1
        let own = values.count
        let start = index
        values.append(JSONDocument.Value(kind: kind, range: start..<start))
        index += 1
        var count = 0
        if !consume(end, in: bytes) {
            repeat {
                guard item(&self) else { return false }
                count += 1
            } while consume(UInt8(ascii: ","), in: bytes)
            guard consume(end, in: bytes) else { return false }
        }
        depth -= 1
        values[own].range = start..<index
        values[own].count = count
        values[own].next = values.count
        return true
    }

    private mutating func text(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return false }
        index += 1
        let start = index
        var isEscaped = false
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                append(isEscaped ? .escapedText : .text, start..<index)
                index += 1
                return true
            }
            guard byte >= 0x20 else { return false }
            index += 1
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                guard escape(in: bytes) else { return false }
            }
        }
        return false
    }

    /// Skips the rest of an escape sequence after the backslash.
    private mutating func escape(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard index < bytes.count else { return false }
        index += 1
        switch bytes[index - 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        case UInt8(ascii: "u"):
            let digits = bytes[index...].prefix(4)
            guard digits.count == 4, digits.allSatisfy(Self.isHexadecimal) else { return false }
            index += 4
            return true
        default:
            index -= 1
            return false
        }
    }

    private mutating func number(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = index
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        let whole = index
        guard digits(in: bytes) > 0 else { return false }
        guard index - whole == 1 || bytes[whole] != UInt8(ascii: "0") else {
            // The fault is the digit after the zero.
            index = whole + 1
            return false
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard digits(in: bytes) > 0 else { return false }
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            guard digits(in: bytes) > 0 else { return false }
        }
        append(.number, start..<index)
        return true
    }

    private mutating func digits(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let start = index
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
        return index - start
    }

    private mutating func word(
        _ word: StaticString, _ kind: JSONDocument.Kind, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let end = index + word.utf8CodeUnitCount
        let isThere = end <= bytes.count && word.withUTF8Buffer { $0.elementsEqual(bytes[index..<end]) }
        guard isThere else { return false }
        append(kind, index..<end)
        index = end
        return true
    }

    private mutating func append(_ kind: JSONDocument.Kind, _ range: Range<Int>) {
        values.append(JSONDocument.Value(kind: kind, range: range, next: values.count + 1))
    }

    private mutating func consume(_ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        skipSpace(in: bytes)
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace(in bytes: UnsafeBufferPointer<UInt8>) {
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
