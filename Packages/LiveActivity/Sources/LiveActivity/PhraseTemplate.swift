import Foundation

/// A text with placeholders, as a word table has it.
///
/// `{name}` is a value as it is; `{name:time}` a time as `WrittenTime` has it, `{name:kl. time}` one with that word before
/// its clock, `{name:date}` a day, `{name:minutes}` a duration and `{name:amount}` an `Amount` without its sign;
/// `{name:# stop|# stops}` a count with its singular and plural; `[…]` is left out unless all its values are there.
struct PhraseTemplate {
    private indirect enum Part {
        case literal(String)
        case value(String)
        case time(String, before: String)
        case date(String)
        case minutes(String)
        case amount(String)
        case count(String, one: String, many: String)
        case optional([Part])
    }

    private let parts: [Part]

    init(_ source: String) {
        var rest = source[...]
        parts = Self.parse(&rest)
    }

    var valueNames: [String] { Set(Self.names(in: parts)).sorted() }

    /// The names of its placeholders in the order in which the text has them, each once.
    var namesInOrder: [String] {
        Self.names(in: parts).reduce(into: []) { names, name in if !names.contains(name) { names.append(name) } }
    }

    /// The values that are texts, and may be shortened.
    var textNames: Set<String> { Set(Self.names(in: parts) { if case .value = $0 { true } else { false } }) }

    /// The text with its placeholders filled; nil where a value is missing.
    ///
    /// - Parameter reading: without it, times of day count as missing.
    func text(_ values: [String: String], in table: some WordTable, for reading: Reading?) -> String? {
        var earlier: Int?
        return Self.text(parts, values, table, reading, &earlier)
    }

    /// - Parameter earlier: the last time in the text so far, whose day the next one does not repeat.
    private static func text(
        _ parts: [Part], _ values: [String: String], _ table: some WordTable, _ reading: Reading?, _ earlier: inout Int?
    ) -> String? {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let words):
                text += words
            case .value(let name):
                guard let value = values[name] else { return nil }
                text += value
            case .time(let name, let before):
                guard let time = values[name].flatMap({ Int($0) }), let reading else { return nil }
                let written = WrittenTime(time, in: reading.timeZone, now: reading.now, after: earlier)
                text += (written.day.map { table.date($0) + " " } ?? "") + before + written.clock
                earlier = time
            case .date(let name):
                guard let time = values[name].flatMap({ Int($0) }), let reading else { return nil }
                let today = ClockTime(reading.now, in: reading.timeZone).day
                text += table.date(WrittenTime.Day(ClockTime(time, in: reading.timeZone), today: today))
                earlier = time
            case .minutes(let name):
                guard let minutes = values[name].flatMap({ Int($0) }) else { return nil }
                text += table.length(minutes: minutes)
            case .amount(let name):
                guard let amount = values[name].flatMap({ Amount($0) }) else { return nil }
                text += table.amount(amount)
            case .count(let name, let one, let many):
                guard let value = values[name], let count = Int(value) else { return nil }
                text += (count == 1 ? one : many).split(separator: "#", omittingEmptySubsequences: false)
                    .joined(separator: value)
            case .optional(let inner):
                var last = earlier
                guard let part = Self.text(inner, values, table, reading, &last) else { continue }
                text += part
                earlier = last
            }
        }
        return text
    }

    private static func names(in parts: [Part], where isIncluded: (Part) -> Bool = { _ in true }) -> [String] {
        parts.flatMap { part in
            switch part {
            case .literal: [String]()
            case .value(let name), .time(let name, _), .date(let name), .minutes(let name), .amount(let name),
                .count(let name, _, _):
                isIncluded(part) ? [name] : []
            case .optional(let inner): names(in: inner, where: isIncluded)
            }
        }
    }

    /// Whether any placeholder is a time of day, which only the device can fill.
    var containsTimeOfDay: Bool { Self.containsTimeOfDay(parts) }

    private static func containsTimeOfDay(_ parts: [Part]) -> Bool {
        parts.contains { part in
            switch part {
            case .time, .date: true
            case .literal, .value, .minutes, .amount, .count: false
            case .optional(let inner): containsTimeOfDay(inner)
            }
        }
    }

    /// The text in the format of an app's strings; nil where a value must be formatted before it is filled in.
    ///
    /// - Parameter placeholder: what stands for the value of a name, such as `%1$@`.
    func stringsFormat(_ placeholder: (String) -> String) -> String? {
        var format = ""
        for part in parts {
            switch part {
            case .literal(let words): format += words.replacing("%", with: "%%")
            case .value(let name): format += placeholder(name)
            case .time, .date, .minutes, .amount, .count, .optional: return nil
            }
        }
        return format
    }

    /// The text with everything that may be left out, as a string catalogue has it.
    ///
    /// - Parameter names: of the values, in the order in which an app gives them.
    func catalogueText(_ names: [String]) -> CatalogueText {
        var counts: [CatalogueText.Count] = []
        let format = Self.catalogueFormat(parts, names, &counts)
        return CatalogueText(format: format, counts: counts)
    }

    private static func catalogueFormat(
        _ parts: [Part], _ names: [String], _ counts: inout [CatalogueText.Count]
    ) -> String {
        func position(_ name: String) -> Int { (names.firstIndex(of: name) ?? 0) + 1 }
        return parts.reduce(into: "") { format, part in
            switch part {
            case .literal(let words): format += words.replacing("%", with: "%%")
            case .value(let name), .date(let name), .minutes(let name), .amount(let name):
                format += "%\(position(name))$@"
            case .time(let name, let before): format += "\(before)%\(position(name))$@"
            case .count(let name, let one, let many):
                counts.append(
                    .init(
                        name: name, position: position(name), one: one.replacing("#", with: "%arg"),
                        other: many.replacing("#", with: "%arg")))
                format += "%#@\(name)@"
            case .optional(let inner): format += catalogueFormat(inner, names, &counts)
            }
        }
    }

    private static func parse(_ rest: inout Substring) -> [Part] {
        var parts: [Part] = []
        while let next = rest.first {
            switch next {
            case "]":
                rest.removeFirst()
                return parts
            case "[":
                rest.removeFirst()
                parts.append(.optional(parse(&rest)))
            case "{":
                parts.append(placeholder(rest.dropFirst().prefix { $0 != "}" }))
                rest = rest.drop { $0 != "}" }.dropFirst()
            default:
                let words = rest.prefix { !"{[]".contains($0) }
                parts.append(.literal(String(words)))
                rest = rest[words.endIndex...]
            }
        }
        return parts
    }

    private static func placeholder(_ source: Substring) -> Part {
        let halves = source.split(separator: ":", maxSplits: 1)
        let name = halves.first.map(String.init) ?? ""
        guard halves.count == 2 else { return .value(name) }
        let forms = halves[1].split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        if forms.count == 2 { return .count(name, one: forms[0], many: forms[1]) }
        switch halves[1] {
        case "time": return .time(name, before: "")
        case let kind where kind.hasSuffix(" time"): return .time(name, before: String(kind.dropLast("time".count)))
        case "date": return .date(name)
        case "minutes": return .minutes(name)
        case "amount": return .amount(name)
        case let kind: preconditionFailure("a word table has a placeholder of kind \(kind)")
        }
    }
}
