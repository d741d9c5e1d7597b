public import Foundation

/// A type whose arrays can be bound and read; `[UInt8]` is the exception, being `bytea`.
public protocol PostgresArrayElement: PostgresBindable, PostgresDecodable {
    static var postgresArrayType: PostgresType { get }
    static func postgresParameter(of array: [Self]) -> PostgresParameter
    static func decodeArray(_ cell: PostgresCell) throws(PostgresError) -> [Self]
}

extension Array: PostgresBindable where Element: PostgresArrayElement {
    public static var postgresType: PostgresType { Element.postgresArrayType }
    public var postgresParameter: PostgresParameter { Element.postgresParameter(of: self) }
}

extension Array: PostgresDecodable where Element: PostgresArrayElement {
    public static func decode(_ cell: PostgresCell) throws(PostgresError) -> [Element] {
        try Element.decodeArray(cell)
    }
}

extension String: PostgresArrayElement { public static var postgresArrayType: PostgresType { .inferred } }
extension Int: PostgresArrayElement { public static var postgresArrayType: PostgresType { .int8Array } }
extension Double: PostgresArrayElement { public static var postgresArrayType: PostgresType { .float8Array } }
extension UUID: PostgresArrayElement { public static var postgresArrayType: PostgresType { .uuidArray } }

extension PostgresArrayElement where Self: RawRepresentable, RawValue: PostgresArrayElement {
    public static var postgresArrayType: PostgresType { RawValue.postgresArrayType }
}

extension UInt8: PostgresArrayElement {
    public static var postgresType: PostgresType { .int2 }
    public static var postgresArrayType: PostgresType { .bytea }
    public static func postgresParameter(of array: [UInt8]) -> PostgresParameter {
        PostgresParameter(.bytea, binary: array)
    }
    public static func decodeArray(_ cell: PostgresCell) throws(PostgresError) -> [UInt8] { try cell.bytes() }
}

extension PostgresArrayElement {
    public static func postgresParameter(of array: [Self]) -> PostgresParameter {
        PostgresNullableArray(array, as: postgresArrayType).postgresParameter
    }

    public static func decodeArray(_ cell: PostgresCell) throws(PostgresError) -> [Self] {
        let text = try cell.text()
        guard let elements = arrayElements(of: text) else { throw cell.failure("is not a one-dimensional array") }
        var values: [Self] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            values.append(try decode(PostgresCell(column: cell.column, content: element)))
        }
        return values
    }
}

/// A one-dimensional array in Postgres's text form; nil becomes `NULL`.
///
/// "Double quotes and backslashes embedded in element values will be backslash-escaped" (manual, 8.15.6).
func arrayLiteral(of elements: [String?]) -> String {
    var bytes = [UInt8(ascii: "{")]
    for element in elements {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        guard let element else {
            bytes.append(contentsOf: "NULL".utf8)
            continue
        }
        bytes.append(UInt8(ascii: "\""))
        for byte in element.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
    return String(decoding: bytes + [UInt8(ascii: "}")], as: UTF8.self)
}

/// The elements of a one-dimensional array in Postgres's text form; nil for anything else.
func arrayElements(of literal: String) -> [String?]? {
    var rest = Substring(literal).unicodeScalars
    guard rest.popFirst() == "{" else { return nil }
    if rest.elementsEqual("}".unicodeScalars) { return [] }
    var elements: [String?] = []
    while true {
        var element = String.UnicodeScalarView()
        let isQuoted = rest.first == "\""
        if isQuoted { rest.removeFirst() }
        scan: while let scalar = rest.first {
            switch scalar {
            case "\\":
                rest.removeFirst()
                guard let escaped = rest.popFirst() else { return nil }
                element.append(escaped)
                continue scan
            case "\"" where isQuoted:
                rest.removeFirst()
                break scan
            case ",", "}":
                if !isQuoted { break scan }
            case "{" where !isQuoted:
                return nil
            default: break
            }
            element.append(scalar)
            rest.removeFirst()
        }
        let text = String(element)
        elements.append(!isQuoted && text == "NULL" ? nil : text)
        switch rest.popFirst() {
        case ",": continue
        case "}": return rest.isEmpty ? elements : nil
        default: return nil
        }
    }
}
