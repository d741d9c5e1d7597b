/// A text with arguments, in the part of ICU's MessageFormat that the texts of this product need.
///
/// - `{name}`: a value as it is.
/// - `{name, time}`: a time of day, `18:24`, with its day where that is another one; `{name, time, long}`: the same with
///   the word that a sentence has before a time, in Danish `kl. 18:24`.
/// - `{name, date}`, `{name, duration}` (of minutes), `{name, number, currency}` (an `Amount` without its sign).
/// - `{name, plural, one {# stop} other {# stops}}`: by CLDR's categories, or by number (`=0 {none}`).
/// - `{name, select, bicycle {…} none {…} other {…}}`: by value. `none` stands where there is no value, and where the
///   chosen branch lacks one, such as a time that is written for a reader whose time zone is not known.
/// - An apostrophe quotes `{` and `}`; two are one.
struct Message: Sendable {
    indirect enum Part: Sendable, Hashable {
        case literal(String)
        case value(String)
        case number(String)
        case time(String, isInSentence: Bool)
        case date(String)
        case duration(String)
        case amount(String)
        case plural(String, [String: [Part]])
        case select(String, [String: [Part]])
    }

    let parts: [Part]
    /// The rule of its plurals, where that is not its catalogue's.
    private(set) var plural: PluralRule?

    /// The same message with a rule of its own.
    func counting(by rule: PluralRule?) -> Message {
        var message = self
        message.plural = rule ?? plural
        return message
    }

    /// - Throws: `MessageFault` for a text that is no message.
    init(_ source: String) throws(MessageFault) {
        var parser = MessageParser(source)
        parts = try parser.message()
    }

    /// The arguments in the order in which the text has them, each once.
    var names: [String] { Self.names(in: parts) { _ in true } }

    /// The arguments that are texts, and may be shortened.
    var textNames: Set<String> {
        Set(Self.names(in: parts) { if case .value = $0 { true } else { false } })
    }

    /// Whether an argument is a time, which is written for a reader in a time zone.
    var hasTimes: Bool {
        !Self.names(in: parts) { part in
            switch part {
            case .time, .date: true
            case .literal, .value, .number, .duration, .amount, .plural, .select: false
            }
        }.isEmpty
    }

    /// Each form in which a value stands, and whether a `select` by that value is around it.
    struct Use: Hashable {
        enum Kind: Hashable { case value, number, time, date, duration, amount }

        let name: String
        let kind: Kind
        let isOptional: Bool
    }

    var uses: Set<Use> { Self.uses(in: parts, within: []) }

    private static func uses(in parts: [Part], within chosen: Set<String>) -> Set<Use> {
        func use(_ name: String, _ kind: Use.Kind) -> Set<Use> {
            [Use(name: name, kind: kind, isOptional: chosen.contains(name))]
        }
        return parts.reduce(into: []) { uses, part in
            switch part {
            case .literal: break
            case .value(let name): uses.formUnion(use(name, .value))
            case .number(let name): uses.formUnion(use(name, .number))
            case .time(let name, _): uses.formUnion(use(name, .time))
            case .date(let name): uses.formUnion(use(name, .date))
            case .duration(let name): uses.formUnion(use(name, .duration))
            case .amount(let name): uses.formUnion(use(name, .amount))
            case .plural(let name, let branches):
                uses.formUnion(use(name, .number))
                for branch in branches.values { uses.formUnion(Self.uses(in: branch, within: chosen)) }
            case .select(let name, let branches):
                for branch in branches.values { uses.formUnion(Self.uses(in: branch, within: chosen.union([name]))) }
            }
        }
    }

    /// The forms of its plurals, such as `one` or `=0`, in alphabetical order within each.
    var pluralForms: [String] { Self.pluralForms(in: parts) }

    private static func pluralForms(in parts: [Part]) -> [String] {
        parts.reduce(into: []) { forms, part in
            guard case .plural(_, let branches) = part else {
                if case .select(_, let branches) = part { forms += branches.values.flatMap(pluralForms) }
                return
            }
            forms += branches.keys.sorted() + branches.values.flatMap(pluralForms)
        }
    }

    private static func names(in parts: [Part], where isIncluded: (Part) -> Bool) -> [String] {
        parts.reduce(into: []) { names, part in
            let found: [String]
            switch part {
            case .literal: found = []
            case .value(let name), .number(let name), .time(let name, _), .date(let name), .duration(let name),
                .amount(let name):
                found = isIncluded(part) ? [name] : []
            case .plural(let name, let branches), .select(let name, let branches):
                let inner = branches.sorted { $0.key < $1.key }.flatMap { Self.names(in: $0.value, where: isIncluded) }
                found = (isIncluded(part) ? [name] : []) + inner
            }
            for name in found where !names.contains(name) { names.append(name) }
        }
    }
}
