internal import Foundation

// On Linux a number that does not fit its type (1.5 or 1e30 for an Int) makes JSONDecoder report "The given data was
// not valid JSON" about the whole body, and any decoder stops at the first fault. This decoder knows its place, and
// continues with a stand-in for a faulty part.

/// A value whose parts are decoded by ``LocatingDecoder``.
struct Located<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws { value = try Value(from: LocatingDecoder(base: decoder)) }
}

/// Decodes like `base`, and asks ``BodyFaults`` for a stand-in for each part that cannot be decoded.
private struct LocatingDecoder: Decoder {
    let base: any Decoder
    let faults: BodyFaults
    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    init(base: any Decoder) {
        self.base = base
        faults = base.userInfo[BodyFaults.userInfoKey] as? BodyFaults ?? BodyFaults(standIns: nil)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let container = try base.container(keyedBy: Key.self)
        let names = try base.container(keyedBy: PropertyName.self).allKeys.map(\.stringValue)
        return KeyedDecodingContainer(
            LocatingKeyedContainer(base: container, faults: faults, object: faults.meet(codingPath, having: names)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        LocatingUnkeyedContainer(base: try base.unkeyedContainer(), faults: faults)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        LocatingSingleContainer(base: try base.singleValueContainer())
    }
}

/// Any property, by its name.
private struct PropertyName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// The place of an element in a list.
private struct ElementIndex: CodingKey {
    let intValue: Int?
    var stringValue: String { "Index \(intValue ?? 0)" }
    init(intValue: Int) { self.intValue = intValue }
    init?(stringValue: String) { nil }
}

/// Any element of a list, skipped without decoding.
private struct Skipped: Decodable {
    init(from decoder: any Decoder) throws {}
}

/// Whether JSONDecoder decodes a type by itself, without the type's own initializer.
private func isDecodedByDecoder(_ type: any Any.Type) -> Bool {
    type == Date.self || type == Data.self || type == URL.self || type == Decimal.self
}

private struct LocatingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let faults: BodyFaults
    /// The object's number in ``BodyFaults``.
    let object: Int
    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool {
        faults.ask(key.stringValue, of: object)
        return base.contains(key)
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        faults.ask(key.stringValue, of: object)
        return try base.decodeNil(forKey: key)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try plain(type, key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try plain(type, key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try plain(type, key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try plain(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try plain(type, key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try plain(type, key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try plain(type, key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try plain(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try plain(type, key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try plain(type, key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try plain(type, key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try plain(type, key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try plain(type, key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try plain(type, key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try part(type, key) {
            if isDecodedByDecoder(type) { return try base.decode(type, forKey: key) }
            return try base.decode(Located<Value>.self, forKey: key).value
        }
    }

    /// A generic call reaches JSONDecoder's own decoding of a number or a text as the overload of its type does.
    private func plain<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
        try part(type, key) { try base.decode(type, forKey: key) }
    }

    private func part<Value: Decodable>(_ type: Value.Type, _ key: Key, _ decode: () throws -> Value) throws -> Value {
        faults.ask(key.stringValue, of: object)
        do {
            return try decode()
        } catch {
            return try faults.standIn(for: type, at: codingPath + [key], after: error)
        }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try base.nestedContainer(keyedBy: type, forKey: key)
        let object = faults.meet(container.codingPath, having: container.allKeys.map(\.stringValue))
        return KeyedDecodingContainer(
            LocatingKeyedContainer<Nested>(base: container, faults: faults, object: object))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        LocatingUnkeyedContainer(base: try base.nestedUnkeyedContainer(forKey: key), faults: faults)
    }

    func superDecoder() throws -> any Decoder { LocatingDecoder(base: try base.superDecoder()) }
    func superDecoder(forKey key: Key) throws -> any Decoder {
        LocatingDecoder(base: try base.superDecoder(forKey: key))
    }
}

private struct LocatingUnkeyedContainer: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    let faults: BodyFaults
    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool { try base.decodeNil() }
    mutating func decode(_ type: Bool.Type) throws -> Bool { try plain(type) }
    mutating func decode(_ type: String.Type) throws -> String { try plain(type) }
    mutating func decode(_ type: Double.Type) throws -> Double { try plain(type) }
    mutating func decode(_ type: Float.Type) throws -> Float { try plain(type) }
    mutating func decode(_ type: Int.Type) throws -> Int { try plain(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try plain(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try plain(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try plain(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try plain(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try plain(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try plain(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try plain(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try plain(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try plain(type) }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try part(type) { base in
            if isDecodedByDecoder(type) { return try base.decode(type) }
            return try base.decode(Located<Value>.self).value
        }
    }

    private mutating func plain<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try part(type) { try $0.decode(type) }
    }

    private mutating func part<Value: Decodable>(
        _ type: Value.Type, _ decode: (inout any UnkeyedDecodingContainer) throws -> Value
    ) throws -> Value {
        let index = currentIndex
        do {
            return try decode(&base)
        } catch {
            let value = try faults.standIn(
                for: type, at: codingPath + [ElementIndex(intValue: index)], after: error)
            // JSONDecoder stays at an element that it could not decode.
            if currentIndex == index { _ = try base.decode(Skipped.self) }
            return value
        }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try base.nestedContainer(keyedBy: type)
        let object = faults.meet(container.codingPath, having: container.allKeys.map(\.stringValue))
        return KeyedDecodingContainer(
            LocatingKeyedContainer<Nested>(base: container, faults: faults, object: object))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        LocatingUnkeyedContainer(base: try base.nestedUnkeyedContainer(), faults: faults)
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

    /// The one error that is no `DecodingError` is JSONDecoder's own about a number that does not fit.
    private func number<Number: Decodable>(_ type: Number.Type) throws -> Number {
        do {
            return try base.decode(type)
        } catch  where !(error is DecodingError) {
            throw FaultyPart(fault: fieldError(of: error, decoding: type, at: codingPath))
        }
    }
}
