public import Foundation
internal import TextCoding

/// A type that can be read from a column.
///
/// Enums and identifiers with a raw value of a supported type conform in one line.
public protocol PostgresDecodable {
    /// The cell's value.
    ///
    /// - Throws: ``PostgresError/Code/decoding``, best through ``PostgresCell/failure(_:)``.
    static func decode(_ cell: PostgresCell) throws(PostgresError) -> Self
}

/// One value of one row, in Postgres's text form.
public struct PostgresCell: Sendable {
    /// The column's name.
    public let column: String
    /// The text; nil is `NULL`.
    public let content: String?

    /// The text.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` when it is `NULL`.
    public func text() throws(PostgresError) -> String {
        guard let content else { throw failure("is NULL") }
        return content
    }

    /// An error that names the column and, on purpose, not its content.
    public func failure(_ problem: String) -> PostgresError {
        PostgresError(.decoding, "column \(column) \(problem)")
    }

    func lossless<Value: LosslessStringConvertible>() throws(PostgresError) -> Value {
        guard let value = Value(try text()) else { throw failure("is not \(Value.self)") }
        return value
    }

    /// The bytes of a `bytea` in its hex form, `\x0aff…`.
    func bytes() throws(PostgresError) -> [UInt8] {
        let text = try text()
        guard text.utf8.starts(with: "\\x".utf8), let bytes = Hexadecimal.decode(text.dropFirst(2)) else {
            throw failure("is not bytea")
        }
        return bytes
    }
}

extension String: PostgresDecodable {
    public static func decode(_ cell: PostgresCell) throws(PostgresError) -> String { try cell.text() }
}

extension PostgresDecodable where Self: LosslessStringConvertible {
    public static func decode(_ cell: PostgresCell) throws(PostgresError) -> Self { try cell.lossless() }
}

extension Int: PostgresDecodable {}
extension Int64: PostgresDecodable {}
extension Int32: PostgresDecodable {}
extension Int16: PostgresDecodable {}
extension Double: PostgresDecodable {}

extension Bool: PostgresDecodable {
    public static func decode(_ cell: PostgresCell) throws(PostgresError) -> Bool {
        switch try cell.text() {
        case "t": true
        case "f": false
        default: throw cell.failure("is not Bool")
        }
    }
}

extension UUID: PostgresDecodable {
    public static func decode(_ cell: PostgresCell) throws(PostgresError) -> UUID {
        guard let value = UUID(uuidString: try cell.text()) else { throw cell.failure("is not UUID") }
        return value
    }
}

extension Date: PostgresDecodable {
    public static func decode(_ cell: PostgresCell) throws(PostgresError) -> Date {
        guard let value = Timestamp.date(try cell.text()) else { throw cell.failure("is not timestamptz") }
        return value
    }
}

extension Data: PostgresDecodable {
    public static func decode(_ cell: PostgresCell) throws(PostgresError) -> Data { Data(try cell.bytes()) }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    public static func decode(_ cell: PostgresCell) throws(PostgresError) -> Wrapped? {
        cell.content == nil ? nil : try Wrapped.decode(cell)
    }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
    public static func decode(_ cell: PostgresCell) throws(PostgresError) -> Self {
        guard let value = Self(rawValue: try RawValue.decode(cell)) else {
            throw cell.failure("holds no known \(Self.self)")
        }
        return value
    }
}
