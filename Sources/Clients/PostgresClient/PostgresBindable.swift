public import Foundation

/// A value that can stand in an interpolated ``SQL``.
///
/// Enums and identifiers with a raw value of a supported type conform in one line:
/// `extension OrderID: PostgresBindable, PostgresDecodable {}`.
public protocol PostgresBindable: Sendable {
    /// The type sent to Postgres; ``PostgresType/inferred`` leaves it to the statement.
    static var postgresType: PostgresType { get }
    /// The value as it travels.
    var postgresParameter: PostgresParameter { get }
}

/// The number by which Postgres knows a type, from its catalogue `pg_type`.
public struct PostgresType: Hashable, Sendable {
    public let oid: UInt32

    /// Whatever the statement's context asks for.
    public static let inferred = PostgresType(oid: 0)
    public static let bool = PostgresType(oid: 16)
    public static let bytea = PostgresType(oid: 17)
    public static let int8 = PostgresType(oid: 20)
    public static let int2 = PostgresType(oid: 21)
    public static let int4 = PostgresType(oid: 23)
    public static let float8 = PostgresType(oid: 701)
    public static let timestamptz = PostgresType(oid: 1184)
    public static let uuid = PostgresType(oid: 2950)
    public static let jsonb = PostgresType(oid: 3802)
    public static let int8Array = PostgresType(oid: 1016)
    public static let float8Array = PostgresType(oid: 1022)
    public static let uuidArray = PostgresType(oid: 2951)
    public static let text = PostgresType(oid: 25)
    public static let textArray = PostgresType(oid: 1009)
    public static let byteaArray = PostgresType(oid: 1001)
    public static let jsonbArray = PostgresType(oid: 3807)
}

/// One bound value in its wire form.
public struct PostgresParameter: Sendable {
    enum Payload: Sendable {
        case null
        case text(String)
        case binary([UInt8])
        case failure(PostgresError)
    }

    var type: PostgresType
    var payload: Payload

    /// A value in Postgres's text form.
    ///
    /// Postgres keeps no NUL character, and libpq would end the text at it, so such text is never sent.
    public init(_ type: PostgresType, text: String) {
        let isSendable = !text.utf8.contains(0)
        self.type = type
        payload = isSendable ? .text(text) : .failure(PostgresError(.encoding, "text with a NUL character"))
    }

    /// A value in Postgres's binary form for that type.
    public init(_ type: PostgresType, binary: [UInt8]) { (self.type, payload) = (type, .binary(binary)) }

    /// `NULL` of that type.
    public static func null(_ type: PostgresType) -> PostgresParameter { PostgresParameter(type, payload: .null) }

    /// A value that could not be encoded; the statement throws this instead of being sent.
    public static func failure(_ error: PostgresError) -> PostgresParameter {
        PostgresParameter(.inferred, payload: .failure(error))
    }

    private init(_ type: PostgresType, payload: Payload) { (self.type, self.payload) = (type, payload) }
}

extension String: PostgresBindable {
    public static var postgresType: PostgresType { .inferred }
    public var postgresParameter: PostgresParameter { PostgresParameter(.inferred, text: self) }
}

extension Int: PostgresBindable { public static var postgresType: PostgresType { .int8 } }
extension Int64: PostgresBindable { public static var postgresType: PostgresType { .int8 } }
extension Int32: PostgresBindable { public static var postgresType: PostgresType { .int4 } }
extension Int16: PostgresBindable { public static var postgresType: PostgresType { .int2 } }

extension PostgresBindable where Self: FixedWidthInteger {
    public var postgresParameter: PostgresParameter { PostgresParameter(Self.postgresType, text: description) }
}

extension Double: PostgresBindable {
    public static var postgresType: PostgresType { .float8 }
    // Swift prints the shortest text that reads back as the same number; "nan" and "inf" are Postgres's words too.
    public var postgresParameter: PostgresParameter { PostgresParameter(.float8, text: description) }
}

extension Bool: PostgresBindable {
    public static var postgresType: PostgresType { .bool }
    public var postgresParameter: PostgresParameter { PostgresParameter(.bool, text: self ? "t" : "f") }
}

extension UUID: PostgresBindable {
    public static var postgresType: PostgresType { .uuid }
    public var postgresParameter: PostgresParameter { PostgresParameter(.uuid, text: uuidString) }
}

extension Data: PostgresBindable {
    public static var postgresType: PostgresType { .bytea }
    public var postgresParameter: PostgresParameter { PostgresParameter(.bytea, binary: [UInt8](self)) }
}

/// Sent as `timestamptz`, rounded to the microsecond, which is all that Postgres keeps.
extension Date: PostgresBindable {
    public static var postgresType: PostgresType { .timestamptz }
    public var postgresParameter: PostgresParameter {
        guard let microseconds = Timestamp.microseconds(since2000Of: self) else {
            return .failure(PostgresError(.encoding, "a date is outside of what timestamptz can hold"))
        }
        return withUnsafeBytes(of: microseconds.bigEndian) { PostgresParameter(.timestamptz, binary: [UInt8]($0)) }
    }
}

extension Optional: PostgresBindable where Wrapped: PostgresBindable {
    public static var postgresType: PostgresType { Wrapped.postgresType }
    public var postgresParameter: PostgresParameter { self?.postgresParameter ?? .null(Wrapped.postgresType) }
}

extension PostgresBindable where Self: RawRepresentable, RawValue: PostgresBindable {
    public static var postgresType: PostgresType { RawValue.postgresType }
    public var postgresParameter: PostgresParameter { rawValue.postgresParameter }
}
