import Foundation

/// JSON as Doorstep has it: times are ISO 8601 in UTC with milliseconds.
enum WireCoding {
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(text(of: date))
        }
        return try encoder.encode(value)
    }

    static func text(of date: Date) -> String {
        // The style cuts what is below a millisecond, and most milliseconds are a little less as a binary fraction.
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        return Date(timeIntervalSince1970: (milliseconds + 0.1) / 1000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
