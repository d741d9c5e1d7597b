internal import Foundation

extension ErasedCourier {
    /// The properties of contents, payloads and answers whose texts may name a courier.
    private static let textKeys: Set<String> = [
        "text", "title", "body", "name", "courier", "carrier", "loc-args", "message", "why", "phone", "reason",
    ]
    /// The properties with texts of the order, its store and its basket.
    private static let otherKeys: Set<String> = ["attributes", "store", "items"]

    /// JSON of a content, a payload or an answer without the courier's names and numbers.
    ///
    /// Nil where it has none, or is no JSON.
    public func replaced(inContent json: String) -> String? {
        // A text that is no JSON has no content, and stays.
        guard searchedTexts.contains(where: json.contains),
            let value = try? JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
        else { return nil }
        var hasChanged = false
        let replaced = replaced(in: value, under: nil, &hasChanged)
        guard hasChanged else { return nil }
        // What was JSON a moment ago still is.
        guard
            let data = try? JSONSerialization.data(
                withJSONObject: replaced, options: [.fragmentsAllowed, .withoutEscapingSlashes, .sortedKeys])
        else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// Whether a text that others wrote, JSON as a rule, names the courier.
    ///
    /// A name or a number counts as whole words of any key and value, and the id as one.
    public func isNamed(in text: String) -> Bool {
        // Of a text that is no JSON, an id in quotes is a value.
        guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) else {
            return redacted(text) != text || text.contains("\"\(id)\"")
        }
        return hasName(value)
    }

    private func hasName(_ value: Any) -> Bool {
        switch value {
        case let object as [String: Any]: object.contains { hasName($0.key) || hasName($0.value) }
        case let array as [Any]: array.contains(where: hasName)
        case let text as String: text == id.rawValue || redacted(text) != text
        default: false
        }
    }

    private func replaced(in value: Any, under key: String?, _ hasChanged: inout Bool) -> Any {
        switch value {
        case let object as [String: Any]:
            var next = object
            for (key, value) in object where !Self.otherKeys.contains(key) {
                next[key] = replaced(in: value, under: key, &hasChanged)
            }
            return next
        case let array as [Any]: return array.map { replaced(in: $0, under: key, &hasChanged) }
        case let text as String:
            guard key.map(Self.textKeys.contains) == true else { return text }
            let next = redacted(text)
            if next != text { hasChanged = true }
            return next
        default: return value
        }
    }
}
