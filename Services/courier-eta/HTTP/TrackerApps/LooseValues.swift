import DoorstepAPI
import Foundation

/// A number as apps write it: as a number, as text, or not at all.
struct LooseNumber: Decodable, Hashable, Sendable {
    let value: Double?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A value of neither type counts as absent, as an app's own empty values do.
        value = (try? container.decode(Double.self)) ?? (try? container.decode(String.self)).flatMap { Self.read($0) }
    }

    /// The number in a text, with or without blanks around it; nil for an empty text, and for one without a finite
    /// number.
    static func read(_ text: some StringProtocol) -> Double? {
        guard let number = Double(text.trimmingCharacters(in: .whitespaces)), number.isFinite else { return nil }
        return number
    }
}

/// A yes or no as apps write it.
struct LooseFlag: Decodable, Hashable, Sendable {
    let value: Bool?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A value of none of the types counts as absent, as an app's own empty values do.
        if let flag = try? container.decode(Bool.self) {
            value = flag
        } else if let number = try? container.decode(Double.self) {
            value = number != 0
        } else {
            value = (try? container.decode(String.self)).flatMap { Self.read($0) }
        }
    }

    static func read(_ text: some StringProtocol) -> Bool? {
        switch text.lowercased() {
        case "true", "1", "yes": true
        case "false", "0", "no": false
        default: nil
        }
    }
}

/// A time as apps write it: seconds as a number, or text.
struct LooseTime: Decodable, Hashable, Sendable {
    let value: RawFix.Time?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A value of neither type counts as absent, as an app's own empty values do.
        if let number = try? container.decode(Double.self) {
            value = .secondsOrMilliseconds(number)
        } else {
            value = (try? container.decode(String.self)).flatMap { Self.read($0) }
        }
    }

    /// A time in a text: digits are seconds or milliseconds, anything else is a date.
    static func read(_ text: some StringProtocol) -> RawFix.Time? {
        guard !text.isEmpty else { return nil }
        return LooseNumber.read(text).map(RawFix.Time.secondsOrMilliseconds) ?? .text(String(text))
    }
}

/// A list's first elements, up to the limit of one request.
struct BoundedList<Element: Decodable & Sendable>: Sendable {
    var elements: [Element] = []
    /// Whether the list has further elements, which are not decoded.
    var hasMore = false
}

extension BoundedList: Decodable {
    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        self.init()
        while !list.isAtEnd, elements.count < FixesBody.fixesMax { elements.append(try list.decode(Element.self)) }
        hasMore = !list.isAtEnd
    }
}

/// One element of a list: a faulty one does not affect its neighbours.
struct Readable<Value: Decodable & Sendable>: Decodable, Sendable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        // The reading counts an element without a value as an unreadable position.
        value = try? Value(from: decoder)
    }
}
