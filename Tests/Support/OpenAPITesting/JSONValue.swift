import Yams

/// A JSON value, from JSON or from YAML.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The member of an object; nil when there is none, or it is no object.
    package subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    package var members: [String: JSONValue] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    package var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    package var number: Double? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// The type's names in JSON Schema; a whole number is an integer and a number.
    var typeNames: Set<String> {
        switch self {
        case .null: ["null"]
        case .bool: ["boolean"]
        case .number(let number): number == number.rounded() ? ["integer", "number"] : ["number"]
        case .string: ["string"]
        case .array: ["array"]
        case .object: ["object"]
        }
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let elements = try? container.decode([JSONValue].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}

extension JSONValue {
    /// - Throws: an error of the YAML parser, or `NotJSON`.
    package init(yaml: String) throws {
        self = try Self.value(of: try Yams.load(yaml: yaml))
    }

    /// YAML without a JSON equivalent, such as a time without quotes.
    struct NotJSON: Error {
        let value: String
    }

    private static func value(of yaml: Any?) throws -> JSONValue {
        switch yaml {
        case nil: .null
        case let bool as Bool: .bool(bool)
        case let number as Int: .number(Double(number))
        case let number as Double: .number(number)
        case let text as String: .string(text)
        case let elements as [Any]: .array(try elements.map(value))
        case let members as [String: Any]: .object(try members.mapValues(value))
        case let other?:
            if "\(type(of: other))" == "NSNull" { .null } else { throw NotJSON(value: "\(other)") }
        }
    }
}
