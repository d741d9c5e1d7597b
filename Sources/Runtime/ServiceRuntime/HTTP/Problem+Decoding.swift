internal import Foundation

extension Problem {
    /// 400, naming the place in the JSON that is wrong.
    init(_ error: DecodingError) {
        let field = fieldError(of: error)
        self = .malformed(field.description, errors: [field])
    }
}

extension Problem.FieldError: CustomStringConvertible {
    package var description: String { path.isEmpty ? "the body \(message)" : "\(path) \(message)" }
}

/// What a decoding error says, in JSON's words rather than Swift's.
func fieldError(of error: DecodingError) -> Problem.FieldError {
    switch error {
    case .keyNotFound(let key, let context):
        Problem.FieldError(path: pathText(context.codingPath + [key]), message: "is missing")
    case .valueNotFound(let type, let context):
        Problem.FieldError(path: pathText(context.codingPath), message: "is null, not \(jsonName(of: type))")
    case .typeMismatch(let type, let context):
        Problem.FieldError(path: pathText(context.codingPath), message: "is not \(jsonName(of: type))")
    case .dataCorrupted(let context):
        Problem.FieldError(
            path: pathText(context.codingPath), message: isRefusal(error) ? "is not JSON" : message(of: context))
    @unknown default:
        Problem.FieldError(path: "", message: "cannot be decoded")
    }
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

private func message(of context: DecodingError.Context) -> String {
    // The standard library's words for a raw value that an enum does not have.
    if let range = context.debugDescription.range(of: " value "),
        context.debugDescription.hasPrefix("Cannot initialize")
    {
        return "is \"\(context.debugDescription[range.upperBound...])\", which is not a known value"
    }
    return "is wrong: \(context.debugDescription)"
}

private func jsonName(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case is any FixedWidthInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is [Any].Type: "a list"
    case is [String: Any].Type: "an object"
    default: "what is expected here"
    }
}
