internal import Foundation

// On Linux a number that does not fit its type (1.5 or 1e30 for an Int) makes JSONDecoder say "The given data was not
// valid JSON" about the whole body. What follows finds the number, so that the caller is told where it is.

/// The place of a number that does not fit its type, in a body that was refused as not being JSON; nil if it is not JSON.
func numberFault<Value: Decodable>(_ type: Value.Type, in data: Data, decode: (Data) throws -> Value) -> Problem
    .FieldError?
{
    guard let tree = try? JSONDecoder().decode(JSONTree.self, from: data) else { return nil }
    let places = tree.unfitNumbers()
    /// Whether the body is still refused when the first `count` of those numbers are made to fit.
    func isRefused(fitting count: Int) -> Bool {
        guard let fitted = try? JSONEncoder().encode(tree.fitting(Set(places.prefix(count)))) else { return true }
        do {
            _ = try decode(fitted)
            return false
        } catch let error as DecodingError {
            return isRefusal(error)
        } catch {
            return false
        }
    }
    guard !places.isEmpty, !isRefused(fitting: places.count) else {
        return Problem.FieldError(path: "", message: "has a number that is out of range")
    }
    // The more numbers fit, the less is refused: the last that must is found by halving.
    var (low, high) = (1, places.count)
    while low < high {
        let middle = (low + high) / 2
        if isRefused(fitting: middle) { low = middle + 1 } else { high = middle }
    }
    return Problem.FieldError(path: places[low - 1], message: "is not a whole number in range")
}

/// Whether an error says that the data as a whole is not JSON.
func isRefusal(_ error: DecodingError) -> Bool {
    guard case .dataCorrupted(let context) = error else { return false }
    return context.codingPath.isEmpty && context.debugDescription.hasPrefix("The given data was not valid JSON")
}

/// JSON as it is, numbers as `Double`.
private enum JSONTree: Codable {
    case null
    case truth(Bool)
    case number(Double)
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let truth = try? container.decode(Bool.self) {
            self = .truth(truth)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([JSONTree].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: JSONTree].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .truth(let truth): try container.encode(truth)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }

    /// The paths of numbers that some whole-number type would refuse, in reading order with sorted keys.
    func unfitNumbers(at path: String = "") -> [String] {
        switch self {
        case .null, .truth, .text: []
        case .number(let number): number == fit(number) ? [] : [path]
        case .list(let list): list.enumerated().flatMap { $1.unfitNumbers(at: "\(path)[\($0)]") }
        case .object(let object):
            object.sorted { $0.key < $1.key }.flatMap { $1.unfitNumbers(at: path.isEmpty ? $0 : "\(path).\($0)") }
        }
    }

    func fitting(_ places: Set<String>, at path: String = "") -> JSONTree {
        switch self {
        case .null, .truth, .text: self
        case .number(let number): places.contains(path) ? .number(fit(number)) : self
        case .list(let list): .list(list.enumerated().map { $1.fitting(places, at: "\(path)[\($0)]") })
        case .object(let object):
            .object(
                Dictionary(
                    uniqueKeysWithValues: object.map { key, value in
                        (key, value.fitting(places, at: path.isEmpty ? key : "\(path).\(key)"))
                    }))
        }
    }

    private func fit(_ number: Double) -> Double { min(max(number.rounded(), -2_147_483_648), 2_147_483_647) }
}
