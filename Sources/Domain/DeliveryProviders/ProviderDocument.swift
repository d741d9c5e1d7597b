internal import DirectJSON
internal import Foundation
internal import OrderDomain

/// An untrusted JSON document: a missing value, or one of another type, is nil.
enum ProviderDocument: Decodable {
    case object([String: ProviderDocument])
    case array([ProviderDocument])
    case string(String)
    /// A whole number, exact beyond the precision of floating point.
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case null

    init(parsing body: Data) throws(UnreadableBody) {
        do {
            self = try DirectJSONDecoder().decode(ProviderDocument.self, from: [UInt8](body))
        } catch {
            throw UnreadableBody("the body is not JSON")
        }
    }

    /// Tries the types in the order in which they are frequent: nearly every value of a webhook is a text.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A value of another type fails to decode as text, and the next type is tried.
        if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if container.decodeNil() {
            self = .null
        } else if let number = try? container.decode(Double.self) {
            self = Self.number(number, in: container)
        } else if let flag = try? container.decode(Bool.self) {
            self = .boolean(flag)
        } else if let object = try? container.decode([String: ProviderDocument].self) {
            self = .object(object)
        } else if let array = try? container.decode([ProviderDocument].self) {
            self = .array(array)
        } else {
            // A number that is too large for any type.
            self = .null
        }
    }

    private static func number(_ number: Double, in container: any SingleValueDecodingContainer) -> Self {
        if let whole = Int64(exactly: number), whole.magnitude < 1 << 53 { return .integer(whole) }
        // A whole number beyond `Int64` stays a `Double`.
        guard number.rounded() == number, let whole = try? container.decode(Int64.self) else { return .number(number) }
        return .integer(whole)
    }

    subscript(_ key: String) -> ProviderDocument {
        guard case .object(let members) = self else { return .null }
        return members[key] ?? .null
    }

    subscript(_ index: Int) -> ProviderDocument {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return .null }
        return elements[index]
    }

    var elements: [ProviderDocument]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// A text that is not empty, or a whole number as text; providers write names in either way.
    ///
    /// Control characters are removed, since Postgres cannot store all of them.
    var name: String? {
        switch self {
        case .string(let text): Self.printable(text)
        case .integer(let number): "\(number)"
        case .object, .array, .number, .boolean, .null: nil
        }
    }

    private static func printable(_ text: String) -> String? {
        guard text.unicodeScalars.contains(where: isControl) else { return text.isEmpty ? nil : text }
        let kept = String(String.UnicodeScalarView(text.unicodeScalars.filter { !isControl($0) }))
        return kept.isEmpty ? nil : kept
    }

    /// Whether it is in Unicode's category Cc, which is fixed; a look-up of the category costs more than the rest.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .string(let text): Double(text)
        case .object, .array, .boolean, .null: nil
        }
    }

    var flag: Bool? {
        guard case .boolean(let flag) = self else { return nil }
        return flag
    }

    /// A time of RFC 3339, or of seconds or milliseconds since 1970; nil for one that cannot be.
    ///
    /// - Parameter received: the newest time that is believed is a day later.
    func time(received: Date) -> Date? {
        let time: Date?
        switch self {
        case .string(let text):
            time = TimeText.seconds(of: text).map { Date(timeIntervalSince1970: $0) }
        case .integer(let number):
            // As milliseconds a smaller number is before 1974, and as seconds a larger one is after 5138.
            let isSeconds = number.magnitude < 100_000_000_000
            time = Date(timeIntervalSince1970: Double(number) / (isSeconds ? 1 : 1_000))
        case .object, .array, .number, .boolean, .null: time = nil
        }
        guard let time, time >= Self.earliest, time <= received.addingTimeInterval(86_400) else { return nil }
        return time
    }

    /// No webhook is older than this.
    private static let earliest = Date(timeIntervalSince1970: 1_577_836_800)

    /// A place of these two members.
    func coordinate(_ latitude: String, _ longitude: String) -> Coordinate? {
        guard let latitude = self[latitude].double, let longitude = self[longitude].double else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}
