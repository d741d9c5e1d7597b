internal import Foundation
internal import WireCoding

// On Linux a number that does not fit its type (1.5 or 1e30 for an Int) makes JSONDecoder say "The given data was not
// valid JSON" about the whole body. What follows finds the number, so that the caller is told where it is.

/// The place of a number that does not fit its type, in a body that was refused as not being JSON; nil if it is not JSON.
///
/// Decodes the body once more, as far as that number.
func numberFault<Value: Decodable>(_ type: Value.Type, in data: Data) -> Problem.FieldError? {
    do {
        _ = try WireJSON.decode(Located<Value>.self, from: data)
        return nil
    } catch let fault as UnfitNumber {
        return Problem.FieldError(path: pathText(fault.path), message: fault.message)
    } catch {
        return nil
    }
}

/// Whether an error says that the data as a whole is not JSON.
func isRefusal(_ error: DecodingError) -> Bool {
    guard case .dataCorrupted(let context) = error else { return false }
    return context.codingPath.isEmpty && context.debugDescription.hasPrefix("The given data was not valid JSON")
}

private struct UnfitNumber: Error {
    let path: [any CodingKey]
    let message: String
}

/// A value whose numbers are decoded by ``LocatingDecoder``.
private struct Located<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws { value = try Value(from: LocatingDecoder(base: decoder)) }
}

/// Decodes as `base` does, and throws ``UnfitNumber`` where that meets a number that does not fit.
private struct LocatingDecoder: Decoder {
    let base: any Decoder
    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(LocatingKeyedContainer(base: try base.container(keyedBy: type)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        LocatingUnkeyedContainer(base: try base.unkeyedContainer())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        LocatingSingleContainer(base: try base.singleValueContainer())
    }
}

/// A number, or the place where it does not fit: the one error here that is no `DecodingError` is JSONDecoder's own
/// about such a number.
private func located<Number>(
    _ path: @autoclosure () -> [any CodingKey], _ decode: () throws -> Number
) throws -> Number {
    do {
        return try decode()
    } catch let error as DecodingError {
        throw error
    } catch {
        let kind = Number.self is any FixedWidthInteger.Type ? "a whole number" : "a number"
        throw UnfitNumber(path: path(), message: "is not \(kind) in range")
    }
}

/// Whether JSONDecoder decodes a type by itself, without the type's own initializer.
private func isDecodedByDecoder(_ type: any Any.Type) -> Bool {
    type == Date.self || type == Data.self || type == URL.self || type == Decimal.self
}

private struct LocatingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool { base.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try base.decode(type, forKey: key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try base.decode(type, forKey: key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try number(type, key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try number(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try number(type, key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try number(type, key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try number(type, key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try number(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try number(type, key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try number(type, key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try number(type, key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try number(type, key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try number(type, key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try number(type, key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        if isDecodedByDecoder(type) { return try base.decode(type, forKey: key) }
        return try base.decode(Located<Value>.self, forKey: key).value
    }

    /// A generic call reaches JSONDecoder's own decoding of a number as the overload of its type does.
    private func number<Number: Decodable>(_ type: Number.Type, _ key: Key) throws -> Number {
        try located(codingPath + [key]) { try base.decode(type, forKey: key) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(
            LocatingKeyedContainer<Nested>(base: try base.nestedContainer(keyedBy: type, forKey: key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        LocatingUnkeyedContainer(base: try base.nestedUnkeyedContainer(forKey: key))
    }

    func superDecoder() throws -> any Decoder { LocatingDecoder(base: try base.superDecoder()) }
    func superDecoder(forKey key: Key) throws -> any Decoder {
        LocatingDecoder(base: try base.superDecoder(forKey: key))
    }
}

private struct LocatingUnkeyedContainer: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    private struct Index: CodingKey {
        let intValue: Int?
        var stringValue: String { "Index \(intValue ?? 0)" }
        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { nil }
    }

    mutating func decodeNil() throws -> Bool { try base.decodeNil() }
    mutating func decode(_ type: Bool.Type) throws -> Bool { try base.decode(type) }
    mutating func decode(_ type: String.Type) throws -> String { try base.decode(type) }
    mutating func decode(_ type: Double.Type) throws -> Double { try number(type) }
    mutating func decode(_ type: Float.Type) throws -> Float { try number(type) }
    mutating func decode(_ type: Int.Type) throws -> Int { try number(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try number(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try number(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try number(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try number(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try number(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try number(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try number(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try number(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try number(type) }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if isDecodedByDecoder(type) { return try base.decode(type) }
        return try base.decode(Located<Value>.self).value
    }

    private mutating func number<Number: Decodable>(_ type: Number.Type) throws -> Number {
        let path = codingPath + [Index(intValue: currentIndex)]
        return try located(path) { try base.decode(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(LocatingKeyedContainer<Nested>(base: try base.nestedContainer(keyedBy: type)))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        LocatingUnkeyedContainer(base: try base.nestedUnkeyedContainer())
    }

    mutating func superDecoder() throws -> any Decoder { LocatingDecoder(base: try base.superDecoder()) }
}

private struct LocatingSingleContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }
    func decode(_ type: Bool.Type) throws -> Bool { try base.decode(type) }
    func decode(_ type: String.Type) throws -> String { try base.decode(type) }
    func decode(_ type: Double.Type) throws -> Double { try number(type) }
    func decode(_ type: Float.Type) throws -> Float { try number(type) }
    func decode(_ type: Int.Type) throws -> Int { try number(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try number(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try number(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try number(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try number(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try number(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try number(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try number(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try number(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try number(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if isDecodedByDecoder(type) { return try base.decode(type) }
        return try base.decode(Located<Value>.self).value
    }

    private func number<Number: Decodable>(_ type: Number.Type) throws -> Number {
        try located(codingPath) { try base.decode(type) }
    }
}
