import WireCoding

/// Checks values against the schemas of one OpenAPI document, more strictly than JSON Schema does.
///
/// An object may have only the properties that its schema names, unless the schema has `additionalProperties: true`;
/// and a keyword that this checker does not know is a fault, never ignored.
package struct SchemaChecker: Sendable {
    let document: JSONValue

    package init(document: JSONValue) { self.document = document }

    /// The value's faults, each with its place; empty without any.
    ///
    /// - Parameter place: the name of the value itself, such as `body`.
    package func faults(in value: JSONValue, against schema: JSONValue, at place: String = "body") -> [String] {
        let evaluation = evaluate(value, against: schema, at: place)
        guard case .object(let members) = value, !evaluation.isOpen else { return evaluation.faults }
        let unknown = Set(members.keys).subtracting(evaluation.properties).sorted()
        return evaluation.faults + unknown.map { "\(place).\($0) is not in the document" }
    }

    /// The result of a value's evaluation against a schema and all its references.
    private struct Evaluation {
        var faults: [String] = []
        /// Properties that a schema names.
        var properties: Set<String> = []
        /// Whether further properties are allowed.
        var isOpen = false

        mutating func add(_ other: Evaluation) {
            faults += other.faults
            properties.formUnion(other.properties)
            isOpen = isOpen || other.isOpen
        }
    }

    private func evaluate(_ value: JSONValue, against schema: JSONValue, at place: String) -> Evaluation {
        var evaluation = Evaluation()
        for (keyword, operand) in schema.members.sorted(by: { $0.key < $1.key }) {
            switch keyword {
            case "$ref": evaluation.add(evaluate(value, against: resolve(operand), at: place))
            case "allOf": for part in operand.elements { evaluation.add(evaluate(value, against: part, at: place)) }
            case "oneOf", "anyOf":
                evaluation.add(alternative(value, operand.elements, isOne: keyword == "oneOf", at: place))
            case "properties", "required", "additionalProperties", "propertyNames":
                evaluation.add(checkObject(value, keyword, operand, of: schema, at: place))
            case "items", "minItems", "maxItems": evaluation.faults += checkArray(value, keyword, operand, at: place)
            case "description", "title", "default", "examples", "deprecated": break
            default: if let fault = fault(value, keyword, operand) { evaluation.faults.append("\(place) \(fault)") }
            }
        }
        return evaluation
    }

    /// The schema at `#/components/schemas/Name`, or anywhere else in the document.
    package func resolve(_ reference: JSONValue) -> JSONValue {
        let parts = reference.string?.split(separator: "/").dropFirst() ?? []
        let target = parts.reduce(document as JSONValue?) { $0?[String($1)] }
        guard let target else { return .object(["reference to nowhere": reference]) }
        return target
    }

    private func alternative(_ value: JSONValue, _ schemas: [JSONValue], isOne: Bool, at place: String) -> Evaluation {
        let fitting = schemas.filter { faults(in: value, against: $0, at: place).isEmpty }
        if fitting.isEmpty {
            // The faults of the first schema, the likeliest intended one.
            let reasons = schemas.flatMap { faults(in: value, against: $0, at: place) }
            return Evaluation(
                faults: ["\(place) fits none of \(schemas.count): " + reasons.joined(separator: "; ")], isOpen: true)
        }
        if isOne, fitting.count > 1 { return Evaluation(faults: ["\(place) fits \(fitting.count) schemas, not one"]) }
        return evaluate(value, against: fitting[0], at: place)
    }

    private func checkObject(
        _ value: JSONValue, _ keyword: String, _ operand: JSONValue, of schema: JSONValue, at place: String
    ) -> Evaluation {
        guard case .object(let members) = value else { return Evaluation() }
        var evaluation = Evaluation()
        switch keyword {
        case "properties":
            evaluation.properties = Set(operand.members.keys)
            for (name, property) in operand.members {
                if let member = members[name] {
                    evaluation.faults += faults(in: member, against: property, at: "\(place).\(name)")
                }
            }
        case "required":
            let missing = operand.elements.compactMap(\.string).filter { members[$0] == nil }
            evaluation.faults = missing.map { "\(place).\($0) is missing" }
        case "propertyNames":
            for name in members.keys {
                evaluation.faults += faults(in: .string(name), against: operand, at: "\(place).\(name)'s name")
            }
        default:
            let others = members.filter { schema["properties"]?[$0.key] == nil }
            switch operand {
            case .bool(let isOpen): evaluation.isOpen = isOpen
            default:
                evaluation.properties = Set(others.keys)
                for (name, member) in others {
                    evaluation.faults += faults(in: member, against: operand, at: "\(place).\(name)")
                }
            }
        }
        return evaluation
    }

    private func checkArray(_ value: JSONValue, _ keyword: String, _ operand: JSONValue, at place: String) -> [String] {
        guard case .array(let elements) = value else { return [] }
        let count = Double(elements.count)
        switch keyword {
        case "items":
            return elements.enumerated().flatMap { faults(in: $1, against: operand, at: "\(place)[\($0)]") }
        case "minItems": return count < operand.number ?? 0 ? ["\(place) has too few elements"] : []
        default: return count > operand.number ?? 0 ? ["\(place) has too many elements"] : []
        }
    }

    /// Why a value without parts does not fit a keyword; nil when it does.
    private func fault(_ value: JSONValue, _ keyword: String, _ operand: JSONValue) -> String? {
        switch (keyword, value) {
        case ("type", _):
            let wanted = Set(operand.elements.compactMap(\.string) + [operand.string].compactMap { $0 })
            return value.typeNames.isDisjoint(with: wanted) ? "is no \(wanted.sorted().joined(separator: " or "))" : nil
        case ("enum", _): return operand.elements.contains(value) ? nil : "is none of the known values: \(value)"
        case ("const", _): return operand == value ? nil : "is not \(operand)"
        case ("minimum", .number(let number)): return number < operand.number ?? 0 ? "is too small" : nil
        case ("maximum", .number(let number)): return number > operand.number ?? 0 ? "is too large" : nil
        case ("minLength", .string(let text)):
            return Double(text.unicodeScalars.count) < operand.number ?? 0 ? "is too short" : nil
        case ("maxLength", .string(let text)):
            return Double(text.unicodeScalars.count) > operand.number ?? 0 ? "is too long" : nil
        case ("pattern", .string(let text)):
            guard let pattern = operand.string, let regex = try? Regex(pattern) else {
                return "has no readable pattern"
            }
            return text.firstMatch(of: regex) == nil ? "does not match \(pattern)" : nil
        case ("format", .string(let text)): return formatFault(text, operand.string ?? "")
        case ("minimum", _), ("maximum", _), ("minLength", _), ("maxLength", _), ("pattern", _), ("format", _):
            return nil
        default: return "has a schema with the keyword \(keyword), which this checker does not know"
        }
    }

    private func formatFault(_ text: String, _ format: String) -> String? {
        let isGood: Bool
        switch format {
        case "date-time": isGood = WireJSON.date(from: text) != nil
        case "uuid":
            isGood = text.wholeMatch(of: /[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/) != nil
        case "uri": isGood = text.wholeMatch(of: /[a-z][a-z0-9+.-]*:\S+/) != nil
        // Bytes of any kind, which are no text.
        case "binary": isGood = true
        default: return "has the format \(format), which this checker does not know"
        }
        return isGood ? nil : "is no \(format): \(text)"
    }
}
