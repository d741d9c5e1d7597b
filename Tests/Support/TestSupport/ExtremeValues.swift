public import Foundation

/// JSON with one to three of its numbers and times replaced by extreme ones, such as `Int.max` and the year 9999.
public func withExtremeValues(_ json: Data, using random: inout some RandomNumberGenerator) throws -> Data {
    var value = try JSONSerialization.jsonObject(with: json)
    for _ in 0..<Int.random(in: 1...3, using: &random) {
        var left = Int.random(in: 0..<max(1, countReplaceable(value)), using: &random)
        value = replacing(value, &left, using: &random)
    }
    return try JSONSerialization.data(withJSONObject: value)
}

private let extremeNumbers: [Int] = [
    .max, .max - 1, .min, .min + 1, 1 << 53, 1 << 32, 1 << 31, -(1 << 31), -1, 0, 1, 253_402_300_799,
]
private let extremeTimes = ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"]

private func isTime(_ text: String) -> Bool { text.count >= 20 && text.hasSuffix("Z") && text.contains("T") }

private func countReplaceable(_ value: Any) -> Int {
    switch value {
    case let object as [String: Any]: object.values.reduce(0) { $0 + countReplaceable($1) }
    case let list as [Any]: list.reduce(0) { $0 + countReplaceable($1) }
    case let text as String: isTime(text) || Int(text) != nil ? 1 : 0
    case is Bool, is NSNull: 0
    default: 1
    }
}

private func replacing(_ value: Any, _ left: inout Int, using random: inout some RandomNumberGenerator) -> Any {
    switch value {
    case let object as [String: Any]:
        var changed = object
        for key in object.keys.sorted() { changed[key] = replacing(object[key] ?? NSNull(), &left, using: &random) }
        return changed
    case let list as [Any]:
        var changed: [Any] = []
        for element in list { changed.append(replacing(element, &left, using: &random)) }
        return changed
    default:
        guard countReplaceable(value) == 1 else { return value }
        left -= 1
        guard left == -1 else { return value }
        let number = extremeNumbers.randomElement(using: &random) ?? .max
        guard let text = value as? String else { return number }
        return isTime(text) ? extremeTimes.randomElement(using: &random) ?? text : String(number)
    }
}
