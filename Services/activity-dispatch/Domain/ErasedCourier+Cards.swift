import Foundation
import OrderDomain

extension ErasedCourier {
    /// The properties of contents and payloads whose texts may name a courier.
    private static let textKeys: Set<String> = ["text", "title", "body", "name", "courier", "carrier", "loc-args"]
    /// What is of the order and its store.
    private static let otherKeys: Set<String> = ["attributes"]

    /// JSON of a content or a payload without the courier's name; nil where it has none, or is no JSON.
    func replaced(inContent json: String) -> String? {
        // A text that is no JSON has no content, and stays.
        guard isMentioned(in: json),
            let value = try? JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
        else { return nil }
        let replaced = replaced(in: value, under: nil)
        // What was JSON a moment ago still is.
        guard
            let data = try? JSONSerialization.data(
                withJSONObject: replaced, options: [.fragmentsAllowed, .withoutEscapingSlashes, .sortedKeys])
        else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    private func replaced(in value: Any, under key: String?) -> Any {
        switch value {
        case let object as [String: Any]:
            return Dictionary(
                uniqueKeysWithValues: object.map { key, value in
                    (key, Self.otherKeys.contains(key) ? value : replaced(in: value, under: key))
                })
        case let array as [Any]: return array.map { replaced(in: $0, under: key) }
        case let text as String: return key.map(Self.textKeys.contains) == true ? redacted(text) : text
        default: return value
        }
    }
}
