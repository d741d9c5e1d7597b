package import Configuration
package import Foundation
internal import WireCoding

// A reader returns nil both for a missing key and for an unparsable value. These functions distinguish the two, so that
// a mistyped value stops the process instead of becoming the default.
extension ConfigReader {
    /// The text at `key`; nil when it is not set or empty.
    /// - Throws: ``ConfigurationError`` where a value cannot be text.
    package func text(_ key: String) throws -> String? {
        if let text = string(forKey: ConfigKey(key)) { return text.isEmpty ? nil : text }
        // A JSON file may hold a number or a Boolean where text is expected.
        if let number = int(forKey: ConfigKey(key)) { return String(number) }
        if let number = double(forKey: ConfigKey(key)) { return String(number) }
        if let truth = bool(forKey: ConfigKey(key)) { return String(truth) }
        // A flag's value with commas is parsed as a list.
        if let list = stringArray(forKey: ConfigKey(key)), !list.isEmpty { return list.joined(separator: ",") }
        return nil
    }

    /// The text at `key`.
    ///
    /// - Throws: ``ConfigurationError`` when it is not set; its fix contains `example`.
    package func requiredText(_ key: String, example: String) throws -> String {
        guard let text = try text(key) else {
            throw ConfigurationError(
                key: key, problem: "is not set", fix: "set \(waysToSet(key)), for example to \(example)")
        }
        return text
    }

    /// A web origin, such as `https://go.nordhavn.example`, as browsers write it; nil when it is not set.
    /// - Throws: ``ConfigurationError`` for a value that is not an origin.
    package func origin(_ key: String, example: String) throws -> String? {
        guard let text = try text(key) else { return nil }
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let isHost = parts.count == 2 && !parts[1].isEmpty && !parts[1].contains { "/?#@ ;,'\"".contains($0) }
        guard isHost, parts[0] == "https" || parts[0] == "http", text == text.lowercased() else {
            throw invalid(key, text, "an origin such as \(example), in small letters and without a slash at its end")
        }
        return text
    }

    /// The texts at `key`, separated by commas or a JSON list; nil when it is not set.
    /// - Throws: ``ConfigurationError`` where a value cannot be text.
    package func texts(_ key: String) throws -> [String]? {
        if let list = stringArray(forKey: ConfigKey(key)), !list.isEmpty { return list }
        return try text(key)?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// A whole number within `range`.
    /// - Throws: ``ConfigurationError`` for a value outside the range.
    package func integer(_ key: String, in range: ClosedRange<Int>, default fallback: Int) throws -> Int {
        guard let text = try text(key) else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw invalid(key, text, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Whole days that data are kept, from `min` to ten years.
    /// - Throws: ``ConfigurationError`` for a value outside the range.
    package func days(_ key: String, from min: Int, default fallback: Int) throws -> Int {
        try integer(key, in: min...Self.keptDaysMax, default: fallback)
    }

    /// The most days that data may be kept.
    private static var keptDaysMax: Int { 3_650 }

    /// A number above zero.
    /// - Throws: ``ConfigurationError`` for a value that is not a positive number.
    package func positiveNumber(_ key: String, default fallback: Double) throws -> Double {
        guard let text = try text(key) else { return fallback }
        guard let number = Double(text), number > 0, number.isFinite else {
            throw invalid(key, text, "a number above 0")
        }
        return number
    }

    /// A number from 0 to 1.
    /// - Throws: ``ConfigurationError`` for a value outside 0 to 1.
    package func share(_ key: String, default fallback: Double) throws -> Double {
        guard let text = try text(key) else { return fallback }
        guard let number = Double(text), (0...1).contains(number) else {
            throw invalid(key, text, "a number from 0 to 1")
        }
        return number
    }

    /// A duration in seconds, fractions allowed; keys that hold one end in `seconds`.
    /// - Throws: ``ConfigurationError`` for a value outside the range.
    package func seconds(
        _ key: String, in range: ClosedRange<Double>, default fallback: Duration
    ) throws -> Duration {
        guard let text = try text(key) else { return fallback }
        guard let number = Double(text), range.contains(number) else {
            throw invalid(key, text, "a number of seconds from \(range.lowerBound) to \(range.upperBound)")
        }
        return .seconds(number)
    }

    /// True or false; `1`, `yes`, `on` and their opposites are understood.
    /// - Throws: ``ConfigurationError`` for a value that is not a Boolean.
    package func truth(_ key: String, default fallback: Bool) throws -> Bool {
        guard let text = try text(key) else { return fallback }
        switch text.lowercased() {
        case "true", "yes", "on", "1": return true
        case "false", "no", "off", "0": return false
        default: throw invalid(key, text, "true or false")
        }
    }

    /// A value of a closed set.
    /// - Throws: ``ConfigurationError`` for a value that is not a case.
    package func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ key: String, default fallback: Value
    ) throws -> Value {
        guard let text = try text(key) else { return fallback }
        guard let value = Value(rawValue: text) else {
            throw invalid(key, text, "one of " + Value.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return value
    }

    /// An ISO 8601 time; nil when it is not set.
    /// - Throws: ``ConfigurationError`` for a value that is not an ISO 8601 time.
    package func time(_ key: String) throws -> Date? {
        guard let text = try text(key) else { return nil }
        guard let date = WireJSON.date(from: text) else {
            throw invalid(key, text, "an ISO 8601 time such as 2026-11-21T18:24:00Z")
        }
        return date
    }

    private func invalid(_ key: String, _ text: String, _ wanted: String) -> ConfigurationError {
        ConfigurationError(key: key, problem: "is \"\(text)\", not \(wanted)", fix: "correct \(waysToSet(key))")
    }
}
