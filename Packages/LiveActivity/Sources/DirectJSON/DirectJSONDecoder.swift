public import Foundation

/// Decodes JSON like `JSONDecoder`, without a table of values for each object.
///
/// It leaves unsupported documents to `JSONDecoder`: another encoding than UTF-8, a repeated key, a `Decimal`, and
/// every fault, so that errors are `JSONDecoder`'s.
public struct DirectJSONDecoder: Sendable {
    private let date: (@Sendable (String) -> Date?)?
    private let dateExample: String

    /// - Parameters:
    ///   - date: reads a date; nil for seconds since 2001, as `JSONDecoder` does by itself.
    ///   - dateExample: how the date of an error should have been: `an ISO 8601 time`.
    public init(date: (@Sendable (String) -> Date?)? = nil, dateExample: String = "") {
        self.date = date
        self.dateExample = dateExample
    }

    /// - Parameter userInfo: values for the types' own initializers, through their decoder, which is `JSONDecoder`'s
    ///   then.
    /// - Throws: `DecodingError`, or the error of a value's own `init(from:)`.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Value {
        if userInfo.isEmpty, let value = direct(type, from: bytes) { return value }
        let decoder = foundation
        decoder.userInfo = userInfo
        return try decoder.decode(type, from: Data(bytes))
    }

    /// The value of a document in which the type has asked for every property.
    ///
    /// - Returns: nil for any other document, with or without a fault.
    public func decodeWhole<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) -> Value? {
        direct(type, from: bytes, isWhole: true)
    }

    /// - Parameter isWhole: whether the type must ask for every property that is there.
    /// - Returns: nil for a document that is left to `JSONDecoder`, which throws an error with its coding path.
    func direct<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8], isWhole: Bool = false) -> Value? {
        // `JSONDecoder` finds the fault.
        guard let document = try? JSONDocument(bytes) else { return nil }
        let input = JSONInput(document: document, date: date, notesKeys: isWhole)
        // `JSONDecoder` finds this fault too.
        guard let value = try? input.read(type, at: 0), !input.isGivenUp, !isWhole || input.isAskedWholly else {
            return nil
        }
        return value
    }

    /// Decodes the same text, slower, and reports its faults.
    private var foundation: JSONDecoder {
        let decoder = JSONDecoder()
        guard let date else { return decoder }
        let example = dateExample
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let value = date(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\"\(text)\" is not \(example)")
            }
            return value
        }
        return decoder
    }
}
