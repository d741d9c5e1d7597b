/// One value of a document: the decoder for its `init(from:)`.
struct ValueDecoder: Decoder {
    let input: JSONInput
    let index: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try ObjectReader<Key>(input: input, index: index))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try ArrayReader(input: input, index: index) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValueReader(input: input, index: index)
    }
}

private final class ObjectReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let input: JSONInput
    /// The indexes from the first key to the value after the object.
    private let members: Range<Int>
    private let count: Int
    /// The key to compare first: types ask for their keys much in the order in which they were written.
    @exclusivity(unchecked) private var next: Int

    init(input: JSONInput, index: Int) throws {
        let value = input.document.values[index]
        guard value.kind == .object else { throw input.mismatch() }
        self.input = input
        members = (index + 1)..<value.next
        count = value.count
        next = index + 1
        guard input.document.hasKeysOnce(members) else { throw input.unsupported() }
    }

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        var keys: [Key] = []
        var key = members.lowerBound
        while key < members.upperBound {
            // A key with a faulty escape equals no key of the type; `allKeys` cannot throw.
            if let text = try? input.text(at: key), let known = Key(stringValue: text) { keys.append(known) }
            key = input.document.values[key + 1].next
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { input.isNull(try value(key)) }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try input.bool(at: value(key)) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try input.text(at: value(key)) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try input.double(at: value(key)) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { throw input.unsupported() }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try input.integer(at: value(key)) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try input.integer(at: value(key)) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try input.integer(at: value(key)) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try input.integer(at: value(key)) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try input.integer(at: value(key)) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try input.integer(at: value(key)) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try input.integer(at: value(key)) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try input.integer(at: value(key)) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try input.integer(at: value(key)) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try input.integer(at: value(key)) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try input.read(type, at: value(key))
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key).map { try input.bool(at: $0) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key).map { try input.text(at: $0) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key).map { try input.double(at: $0) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key).map { try input.integer(at: $0) }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try present(key).map { try input.read(type, at: $0) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(try ObjectReader<Nested>(input: input, index: value(key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try ArrayReader(input: input, index: value(key))
    }

    func superDecoder() throws -> any Decoder { throw input.unsupported() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw input.unsupported() }

    private func value(_ key: Key) throws -> Int {
        guard let index = find(key) else { throw input.mismatch() }
        return index
    }

    /// Nil where the key is missing or its value is null.
    private func present(_ key: Key) -> Int? { find(key).flatMap { input.isNull($0) ? nil : $0 } }

    /// The position of a key's value.
    private func find(_ key: Key) -> Int? {
        var text = key.stringValue
        return text.withUTF8 { wanted in
            input.document.bytes.withUnsafeBufferPointer { bytes in
                var index = next
                for _ in 0..<count {
                    if index >= members.upperBound { index = members.lowerBound }
                    let key = input.document.values[index]
                    let following = input.document.values[index + 1].next
                    if bytes.hasSame(as: wanted, at: key.range) {
                        input.noteFound(index)
                        next = following
                        return index + 1
                    }
                    index = following
                }
                return nil
            }
        }
    }
}

extension JSONDocument {
    /// Whether no key is there twice, and none has escapes or characters that may be written in several ways; only where
    /// that is certain at little cost.
    fileprivate func hasKeysOnce(_ members: Range<Int>) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var key = members.lowerBound
            // PostgreSQL prints the keys of `jsonb` by length, and then by bytes.
            var (isAscending, isAscendingByLength) = (true, true)
            var last: Range<Int>?
            while key < members.upperBound {
                let range = values[key].range
                guard values[key].kind == .text, bytes[range].allSatisfy({ $0 < 0x80 }) else { return false }
                if let last {
                    let isLater = bytes.order(of: last, range) < 0
                    if !isLater { isAscending = false }
                    if last.count > range.count || last.count == range.count && !isLater { isAscendingByLength = false }
                }
                last = range
                key = values[key + 1].next
            }
            return isAscending || isAscendingByLength || hasNoTwo(members, in: bytes)
        }
    }

    private func hasNoTwo(_ members: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var keys: [Range<Int>] = []
        var key = members.lowerBound
        while key < members.upperBound {
            let range = values[key].range
            let isThere = keys.contains { bytes.order(of: $0, range) == 0 }
            guard !isThere, keys.count < 64 else { return false }
            keys.append(range)
            key = values[key + 1].next
        }
        return true
    }
}

private struct ArrayReader: UnkeyedDecodingContainer {
    private let input: JSONInput
    private let elements: Int
    private var next: Int
    private(set) var currentIndex = 0

    init(input: JSONInput, index: Int) throws {
        let value = input.document.values[index]
        guard value.kind == .array else { throw input.mismatch() }
        self.input = input
        elements = value.count
        next = index + 1
    }

    var codingPath: [any CodingKey] { [] }
    var count: Int? { elements }
    var isAtEnd: Bool { currentIndex == elements }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd else { throw input.mismatch() }
        guard input.isNull(next) else { return false }
        return try element { _, _ in true }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try element { try $0.bool(at: $1) } }
    mutating func decode(_ type: String.Type) throws -> String { try element { try $0.text(at: $1) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try element { try $0.double(at: $1) } }
    mutating func decode(_ type: Float.Type) throws -> Float { throw input.unsupported() }
    mutating func decode(_ type: Int.Type) throws -> Int { try element { try $0.integer(at: $1) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try element { try $0.integer(at: $1) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try element { try $0.integer(at: $1) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try element { try $0.integer(at: $1) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try element { try $0.integer(at: $1) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try element { try $0.integer(at: $1) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try element { try $0.integer(at: $1) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try element { try $0.integer(at: $1) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try element { try $0.integer(at: $1) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try element { try $0.integer(at: $1) } }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try element { try $0.read(type, at: $1) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try element { KeyedDecodingContainer(try ObjectReader<Nested>(input: $0, index: $1)) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try element { try ArrayReader(input: $0, index: $1) }
    }

    mutating func superDecoder() throws -> any Decoder { throw input.unsupported() }

    /// Reads the next element, and advances unless that fails.
    private mutating func element<Value>(_ read: (JSONInput, Int) throws -> Value) throws -> Value {
        guard !isAtEnd else { throw input.mismatch() }
        let value = try read(input, next)
        next = input.document.values[next].next
        currentIndex += 1
        return value
    }
}

private struct SingleValueReader: SingleValueDecodingContainer {
    let input: JSONInput
    let index: Int

    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { input.isNull(index) }
    func decode(_ type: Bool.Type) throws -> Bool { try input.bool(at: index) }
    func decode(_ type: String.Type) throws -> String { try input.text(at: index) }
    func decode(_ type: Double.Type) throws -> Double { try input.double(at: index) }
    func decode(_ type: Float.Type) throws -> Float { throw input.unsupported() }
    func decode(_ type: Int.Type) throws -> Int { try input.integer(at: index) }
    func decode(_ type: Int8.Type) throws -> Int8 { try input.integer(at: index) }
    func decode(_ type: Int16.Type) throws -> Int16 { try input.integer(at: index) }
    func decode(_ type: Int32.Type) throws -> Int32 { try input.integer(at: index) }
    func decode(_ type: Int64.Type) throws -> Int64 { try input.integer(at: index) }
    func decode(_ type: UInt.Type) throws -> UInt { try input.integer(at: index) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try input.integer(at: index) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try input.integer(at: index) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try input.integer(at: index) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try input.integer(at: index) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try input.read(type, at: index) }
}
