internal import Foundation

/// The values of one document, as they are read.
final class JSONInput {
    let document: JSONDocument
    /// Whether a value was asked for that `JSONDecoder` may read, and this does not; a type may have caught the error.
    @exclusivity(unchecked) private(set) var isGivenUp = false
    private let date: ((String) -> Date?)?
    /// Whether a key was found, by its index; empty where that is not noted.
    @exclusivity(unchecked) private var found: [Bool]

    init(document: JSONDocument, date: ((String) -> Date?)?, notesKeys: Bool = false) {
        self.document = document
        self.date = date
        found = notesKeys ? Array(repeating: false, count: document.values.count) : []
    }

    /// Notes that a type asked for a key that is there.
    func noteFound(_ key: Int) { if !found.isEmpty { found[key] = true } }

    /// Whether every key of every object was found.
    var isAskedWholly: Bool {
        found.count(where: \.self) == document.values.reduce(0) { $0 + ($1.kind == .object ? $1.count : 0) }
    }

    /// Leaves the document to `JSONDecoder`.
    func unsupported() -> Unsupported {
        isGivenUp = true
        return Unsupported()
    }

    /// The error for a value that `JSONDecoder` rejects too.
    func mismatch() -> Unsupported { Unsupported() }

    func isNull(_ index: Int) -> Bool { document.values[index].kind == .null }

    /// A value with all that is in it.
    func read<Value: Decodable>(_ type: Value.Type, at index: Int) throws -> Value {
        if type == Date.self, let date {
            guard let value = date(try text(at: index)) as? Value else { throw mismatch() }
            return value
        }
        if type == Data.self || type == URL.self || type == Decimal.self { throw unsupported() }
        return try Value(from: ValueDecoder(input: self, index: index))
    }

    func bool(at index: Int) throws -> Bool {
        switch document.values[index].kind {
        case .true: return true
        case .false: return false
        default: throw mismatch()
        }
    }

    func integer<Value: FixedWidthInteger>(at index: Int) throws -> Value {
        guard document.values[index].kind == .number else { throw mismatch() }
        // The fast path reads digits alone: a number with a fraction or an exponent may still be whole.
        let value = document.withBytes(of: index) { bytes in
            var value: Value = 0
            let isNegative = bytes[0] == UInt8(ascii: "-")
            for byte in bytes.dropFirst(isNegative ? 1 : 0) {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return Value?.none }
                let (tenfold, isTooLarge) = value.multipliedReportingOverflow(by: 10)
                let digit = Value(truncatingIfNeeded: byte - UInt8(ascii: "0"))
                let (sum, isPastEnd) =
                    isNegative
                    ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
                if isTooLarge || isPastEnd { return nil }
                value = sum
            }
            return value
        }
        guard let value else { throw unsupported() }
        return value
    }

    func double(at index: Int) throws -> Double {
        guard document.values[index].kind == .number else { throw mismatch() }
        let value = document.withBytes(of: index) { bytes -> Double? in
            guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
            // A number too small to be distinguished from zero is refused.
            let digits = bytes.prefix { $0 | 0x20 != UInt8(ascii: "e") }
            return value != 0 || !digits.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) } ? value : nil
        }
        guard let value else { throw unsupported() }
        return value
    }

    func text(at index: Int) throws -> String {
        switch document.values[index].kind {
        case .text:
            return document.withBytes(of: index) { String(decoding: $0, as: UTF8.self) }
        case .escapedText:
            return try unescaped(document.values[index].range)
        default:
            throw mismatch()
        }
    }

    private func unescaped(_ range: Range<Int>) throws -> String {
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        var rest = document.bytes[range]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\"")?: text.append(UInt8(ascii: "\""))
            case UInt8(ascii: "\\")?: text.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "/")?: text.append(UInt8(ascii: "/"))
            case UInt8(ascii: "b")?: text.append(0x08)
            case UInt8(ascii: "f")?: text.append(0x0C)
            case UInt8(ascii: "n")?: text.append(0x0A)
            case UInt8(ascii: "r")?: text.append(0x0D)
            case UInt8(ascii: "t")?: text.append(0x09)
            case UInt8(ascii: "u")?:
                let digits = String(decoding: rest.prefix(4), as: UTF8.self)
                rest = rest.dropFirst(4)
                // Halves of a code point come in pairs, and are rare.
                guard let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) else { throw unsupported() }
                text.append(contentsOf: String(scalar).utf8)
            default: throw unsupported()
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
