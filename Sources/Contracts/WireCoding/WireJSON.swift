internal import DirectJSON
public import Foundation

/// The JSON of messages and HTTP bodies: sorted keys, times as ISO 8601 in UTC with milliseconds.
public enum WireJSON {
    /// - Throws: `EncodingError` for a value that JSON cannot express, such as an infinite number.
    public static func encode(_ value: some Encodable) throws -> Data { Data(try encoder.encode(value)) }

    /// - Parameter userInfo: values for the types' own initializers, through their decoder.
    /// - Throws: `DecodingError` for malformed JSON or another type's.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws -> Value {
        try decoder.decode(type, from: [UInt8](data), userInfo: userInfo)
    }

    /// The value of a text in which the type has asked for every property; nil for any other.
    public static func decodeWhole<Value: Decodable>(_ type: Value.Type, from data: Data) -> Value? {
        decoder.decodeWhole(type, from: [UInt8](data))
    }

    /// How a text is not JSON, in words such as `unexpected "}" at line 1, column 20`; nil where it is.
    public static func formFault(in data: Data) -> String? { JSONFault(in: [UInt8](data))?.description }

    private static let encoder = DirectJSONEncoder(dateText: { text(of: $0) })
    private static let decoder = DirectJSONDecoder(
        date: { date(from: $0) }, dateExample: "an ISO 8601 time, such as 2026-11-21T18:24:00Z")

    /// A time in wire format, rounded to a millisecond.
    public static func text(of date: Date) -> String {
        let milliseconds = date.wireMilliseconds
        if let text = WireTime(milliseconds: milliseconds)?.text { return text }
        let seconds = (milliseconds / 1_000).rounded(.down)
        // The style cuts fractions, and most milliseconds are a little less as a binary fraction.
        let fraction = String(Int(milliseconds - seconds * 1_000) + 1_000).dropFirst()
        let whole = Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle())
        return "\(whole.dropLast()).\(fraction)Z"
    }

    /// A time of RFC 3339 in any of its forms; nil for anything else.
    ///
    /// Rounded to a millisecond, so that a time that was read is the same after it was written and read again.
    public static func date(from text: String) -> Date? {
        if let time = WireTime(text) { return Date(timeIntervalSince1970: time.milliseconds / 1_000) }
        let seconds = TimeText.seconds(of: text)
        return seconds.map { Date(timeIntervalSince1970: ($0 * 1_000).rounded() / 1_000) }
    }
}

extension Date {
    /// The time as JSON keeps it, rounded to a millisecond.
    public var roundedToMillisecond: Date { Date(timeIntervalSince1970: wireMilliseconds / 1_000) }

    /// Whole milliseconds since 1970.
    fileprivate var wireMilliseconds: Double { (timeIntervalSince1970 * 1_000).rounded() }
}
