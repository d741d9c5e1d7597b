internal import DoorstepAPI
internal import Foundation

extension Problem.FieldError: CustomStringConvertible {
    package var description: String { path.isEmpty ? "the body \(message)" : "\(path) \(message)" }
}

/// An error about a part of a body, in JSON's terms rather than Swift's.
///
/// - Parameters:
///   - type: the part's expected type.
///   - place: the part's path; the error itself may be about a part of it.
func fieldError(of error: any Error, decoding type: any Any.Type, at place: [any CodingKey]) -> Problem.FieldError {
    guard let error = error as? DecodingError else {
        let message =
            jsonNumber(type).map { "is not \($0) in range" } ?? "is wrong: \(String(describing: error))"
        return Problem.FieldError(path: pathText(place), message: message)
    }
    func wrongValue(_ context: DecodingError.Context, _ message: String) -> Problem.FieldError {
        Problem.FieldError(path: pathText(context.codingPath), message: message, allowed: allowedValues(of: type))
    }
    switch error {
    case .keyNotFound(let key, let context):
        return Problem.FieldError(path: pathText(context.codingPath + [key]), message: "is missing")
    case .valueNotFound(let found, let context): return wrongValue(context, "is null, not \(jsonName(of: found))")
    case .typeMismatch(let found, let context): return wrongValue(context, "is not \(jsonName(of: found))")
    case .dataCorrupted(let context): return wrongValue(context, message(of: context, decoding: type))
    @unknown default:
        return Problem.FieldError(path: pathText(place), message: "cannot be decoded")
    }
}

/// Every value of an enumeration that JSON spells as a text; nil for every other type.
func allowedValues(of type: any Any.Type) -> [String]? {
    func texts<Value: CaseIterable & RawRepresentable>(_ type: Value.Type) -> [String]? {
        let texts = type.allCases.compactMap { $0.rawValue as? String }
        return texts.isEmpty ? nil : texts
    }
    guard let type = type as? any (CaseIterable & RawRepresentable).Type else { return nil }
    return texts(type)
}

/// `items[2].quantity`.
func pathText(_ keys: [any CodingKey]) -> String {
    keys.reduce(into: "") { text, key in
        if let index = key.intValue {
            text += "[\(index)]"
        } else {
            text += (text.isEmpty ? "" : ".") + key.stringValue
        }
    }
}

private func message(of context: DecodingError.Context, decoding type: any Any.Type) -> String {
    // The standard library's words for a raw value that a type does not have.
    guard let range = context.debugDescription.range(of: " value "),
        context.debugDescription.hasPrefix("Cannot initialize")
    else { return "is wrong: \(context.debugDescription)" }
    let value = context.debugDescription[range.upperBound...]
    guard let form = identifierForm(of: type) else { return "is \"\(value)\", which is not a known value" }
    return "is \"\(value)\", which is not \(form)"
}

private func jsonName(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is [Any].Type: "a list"
    case is [String: Any].Type: "an object"
    default: jsonNumber(type) ?? "what is expected here"
    }
}

private func jsonNumber(_ type: any Any.Type) -> String? {
    switch type {
    case is any FixedWidthInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    default: nil
    }
}
