public import Foundation

/// Writes JSON with sorted keys and slashes as they are, byte for byte like `JSONEncoder` with `.sortedKeys` and
/// `.withoutEscapingSlashes`, without a tree of values.
///
/// It leaves errors and unsupported values, such as a `Decimal`, a repeated key or alternately filled containers, to
/// `JSONEncoder`.
public struct DirectJSONEncoder: Sendable {
    private let dateText: (@Sendable (Date) -> String)?

    /// - Parameter dateText: how a date is written; nil for seconds since 2001, as `JSONEncoder` does by itself.
    public init(dateText: (@Sendable (Date) -> String)? = nil) { self.dateText = dateText }

    /// - Throws: `EncodingError`, or the error of a value's own `encode(to:)`.
    public func encode(_ value: some Encodable) throws -> [UInt8] {
        try direct(value) ?? [UInt8](foundation.encode(value))
    }

    /// Nil for a value that is left to `JSONEncoder`.
    func direct(_ value: some Encodable) -> [UInt8]? {
        let output = JSONOutput(dateText: dateText)
        defer { output.finish() }
        // `JSONEncoder` encodes the value again and throws the error of a value that it cannot encode either.
        guard (try? output.write(value)) != nil, output.isComplete else { return nil }
        return output.bytes
    }

    /// Encodes the same, slower, whatever it is.
    private var foundation: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let dateText else { return encoder }
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(dateText(date))
        }
        return encoder
    }
}

/// A value that only `JSONEncoder` can write.
struct Unsupported: Error {}

/// The position at which one value is written; the encoder of its `encode(to:)`.
final class ValueEncoder: Encoder {
    private let output: JSONOutput
    /// The value's own object or array, once it has asked for it.
    private var own: JSONOutput.Place?

    init(output: JSONOutput) { self.output = output }

    /// Prepares the encoder for another value.
    func reset() { own = nil }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(ObjectWriter<Key>(output: output, place: place(.object)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { ArrayWriter(output: output, place: place(.array)) }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueWriter(output: output) }

    /// A type and the one it inherits from or wraps write into one object.
    private func place(_ kind: JSONOutput.Kind) -> JSONOutput.Place {
        if let own, own.kind == kind { return own }
        if own != nil { output.giveUp() }
        let place = output.open(kind)
        own = place
        return place
    }
}

private struct ObjectWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: JSONOutput
    let place: JSONOutput.Place

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { begin(key) { $0.appendNull() } }
    func encode(_ value: Bool, forKey key: Key) { begin(key) { $0.append(value) } }
    func encode(_ value: String, forKey key: Key) { begin(key) { $0.append(value) } }
    func encode(_ value: Double, forKey key: Key) throws { try begin(key) { try $0.append(value) } }
    func encode(_ value: Float, forKey key: Key) throws { throw output.unsupported() }
    func encode(_ value: Int, forKey key: Key) { begin(key) { $0.append(integer: value) } }
    func encode(_ value: Int8, forKey key: Key) { begin(key) { $0.append(integer: value) } }
    func encode(_ value: Int16, forKey key: Key) { begin(key) { $0.append(integer: value) } }
    func encode(_ value: Int32, forKey key: Key) { begin(key) { $0.append(integer: value) } }
    func encode(_ value: Int64, forKey key: Key) { begin(key) { $0.append(integer: value) } }
    func encode(_ value: UInt, forKey key: Key) { begin(key) { $0.append(integer: value) } }
    func encode(_ value: UInt8, forKey key: Key) { begin(key) { $0.append(integer: value) } }
    func encode(_ value: UInt16, forKey key: Key) { begin(key) { $0.append(integer: value) } }
    func encode(_ value: UInt32, forKey key: Key) { begin(key) { $0.append(integer: value) } }
    func encode(_ value: UInt64, forKey key: Key) { begin(key) { $0.append(integer: value) } }
    func encode(_ value: some Encodable, forKey key: Key) throws { try begin(key) { try $0.write(value) } }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        begin(key) { KeyedEncodingContainer(ObjectWriter<Nested>(output: output, place: $0.open(.object))) }
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        begin(key) { ArrayWriter(output: output, place: $0.open(.array)) }
    }

    func superEncoder() -> any Encoder {
        output.giveUp()
        return ValueEncoder(output: output)
    }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }

    private func begin<Result>(_ key: Key, _ write: (JSONOutput) throws -> Result) rethrows -> Result {
        output.beginMember(key.stringValue, in: place)
        return try write(output)
    }
}

private struct ArrayWriter: UnkeyedEncodingContainer {
    let output: JSONOutput
    let place: JSONOutput.Place
    private(set) var count = 0

    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil() { begin { $0.appendNull() } }
    mutating func encode(_ value: Bool) { begin { $0.append(value) } }
    mutating func encode(_ value: String) { begin { $0.append(value) } }
    mutating func encode(_ value: Double) throws { try begin { try $0.append(value) } }
    mutating func encode(_ value: Float) throws { throw output.unsupported() }
    mutating func encode(_ value: Int) { begin { $0.append(integer: value) } }
    mutating func encode(_ value: Int8) { begin { $0.append(integer: value) } }
    mutating func encode(_ value: Int16) { begin { $0.append(integer: value) } }
    mutating func encode(_ value: Int32) { begin { $0.append(integer: value) } }
    mutating func encode(_ value: Int64) { begin { $0.append(integer: value) } }
    mutating func encode(_ value: UInt) { begin { $0.append(integer: value) } }
    mutating func encode(_ value: UInt8) { begin { $0.append(integer: value) } }
    mutating func encode(_ value: UInt16) { begin { $0.append(integer: value) } }
    mutating func encode(_ value: UInt32) { begin { $0.append(integer: value) } }
    mutating func encode(_ value: UInt64) { begin { $0.append(integer: value) } }
    mutating func encode(_ value: some Encodable) throws { try begin { try $0.write(value) } }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        begin { KeyedEncodingContainer(ObjectWriter<Nested>(output: $0, place: $0.open(.object))) }
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        begin { ArrayWriter(output: $0, place: $0.open(.array)) }
    }

    mutating func superEncoder() -> any Encoder {
        output.giveUp()
        return ValueEncoder(output: output)
    }

    private mutating func begin<Result>(_ write: (JSONOutput) throws -> Result) rethrows -> Result {
        count += 1
        output.beginElement(in: place)
        return try write(output)
    }
}

private struct SingleValueWriter: SingleValueEncodingContainer {
    let output: JSONOutput

    var codingPath: [any CodingKey] { [] }

    func encodeNil() { output.appendNull() }
    func encode(_ value: Bool) { output.append(value) }
    func encode(_ value: String) { output.append(value) }
    func encode(_ value: Double) throws { try output.append(value) }
    func encode(_ value: Float) throws { throw output.unsupported() }
    func encode(_ value: Int) { output.append(integer: value) }
    func encode(_ value: Int8) { output.append(integer: value) }
    func encode(_ value: Int16) { output.append(integer: value) }
    func encode(_ value: Int32) { output.append(integer: value) }
    func encode(_ value: Int64) { output.append(integer: value) }
    func encode(_ value: UInt) { output.append(integer: value) }
    func encode(_ value: UInt8) { output.append(integer: value) }
    func encode(_ value: UInt16) { output.append(integer: value) }
    func encode(_ value: UInt32) { output.append(integer: value) }
    func encode(_ value: UInt64) { output.append(integer: value) }
    func encode(_ value: some Encodable) throws { try output.write(value) }
}
