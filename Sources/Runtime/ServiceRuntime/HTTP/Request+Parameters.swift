package import Foundation
package import Hummingbird
internal import WireCoding

extension Request {
    /// A query parameter; nil when it is absent or empty.
    package func query(_ name: String) -> String? {
        guard let value = uri.queryParameters[Substring(name)], !value.isEmpty else { return nil }
        return String(value)
    }

    /// A query parameter of a type with a text form, such as an identifier or a status; nil when it is absent.
    ///
    /// - Throws: ``Problem``: 400 when the text is not one of that type.
    package func query<Value: RawRepresentable<String>>(_ name: String, as type: Value.Type) throws -> Value? {
        guard let text = query(name) else { return nil }
        guard let value = Value(rawValue: text) else {
            throw Problem.malformed("query \(name)", "is not a known value", allowed: allowedValues(of: Value.self))
        }
        return value
    }

    /// A query parameter that is a whole number.
    ///
    /// - Throws: ``Problem``: 400 when it is not, or outside `range`.
    package func query(_ name: String, in range: ClosedRange<Int>, default fallback: Int) throws -> Int {
        guard let text = query(name) else { return fallback }
        guard let number = Int(text), range.contains(number) else {
            throw Problem.malformed(
                "query \(name)", "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A query parameter that is a time of ISO 8601; nil when it is absent.
    ///
    /// - Throws: ``Problem``: 400 when it is none.
    package func time(_ name: String) throws -> Date? {
        guard let text = query(name) else { return nil }
        guard let time = WireJSON.date(from: text) else {
            throw Problem.malformed("query \(name)", "is no ISO 8601 time, such as 2026-11-21T18:24:00Z")
        }
        return time
    }
}

extension AppContext {
    /// The path's value for `{name}`.
    ///
    /// - Throws: ``Problem``: 404 when the value is not of that type.
    package func path<Value: RawRepresentable<String>>(_ name: String, as type: Value.Type) throws -> Value {
        guard let text = parameters.get(name), let value = Value(rawValue: text) else { throw Problem.notFound() }
        return value
    }

    /// The path's text for `{name}`.
    ///
    /// - Throws: ``Problem``: 404 when the path has no such parameter.
    package func path(_ name: String) throws -> String {
        guard let text = parameters.get(name) else { throw Problem.notFound() }
        return text
    }
}

/// A query parameter that is `true` or `false`.
package enum BooleanParameter: String, CaseIterable {
    case `true`, `false`
}
