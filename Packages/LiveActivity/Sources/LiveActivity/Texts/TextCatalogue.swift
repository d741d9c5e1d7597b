/// The texts of one language by key, such as `phrase.en_route` or `verb.cancel`.
///
/// Cards have theirs here; a program adds those of its own (`adding`), so that one catalogue has everything that it
/// shows a person.
public struct TextCatalogue: Sendable {
    /// ISO 639-1, such as `da`.
    public let language: String
    /// In no order.
    public var keys: some Collection<String> { messages.keys }
    /// The side on which lines of the language begin.
    public let direction: TextDirection
    /// How its times are written.
    public private(set) var hourCycle = HourCycle.hours24

    private let plural: PluralRule
    private var messages: [String: Message] = [:]

    init(_ language: Language) {
        self.language = language.code
        direction = TextDirection(language: language.code)
        plural = PluralRule(language: language.code)
        add(language.texts)
    }

    /// A language that is not compiled in: plurals and direction by its code, and the texts of cards in English until
    /// others are added.
    ///
    /// - Parameter language: ISO 639-1, such as `fi`.
    public init(language: String) {
        self.init(Language(code: language, texts: [:]))
        messages = Self.english.messages.mapValues { $0.counting(by: Self.english.plural) }
    }

    /// The same catalogue with its times written in another way.
    public func writing(_ hourCycle: HourCycle) -> TextCatalogue {
        var catalogue = self
        catalogue.hourCycle = hourCycle
        return catalogue
    }

    /// The same catalogue with more texts in ICU's MessageFormat; see `Message` for the part of it that is known.
    ///
    /// It traps on a text that is no message: the texts are a program's own.
    public func adding(_ texts: [String: String]) -> TextCatalogue {
        var catalogue = self
        catalogue.add(texts)
        return catalogue
    }

    /// The same catalogue with English texts, which count as English does.
    public func addingEnglish(_ texts: [String: String]) -> TextCatalogue {
        var catalogue = self
        catalogue.add(texts, countingBy: Self.english.plural)
        return catalogue
    }

    private mutating func add(_ texts: [String: String], countingBy rule: PluralRule? = nil) {
        for (key, text) in texts {
            do throws(MessageFault) {
                messages[key] = try Message(text).counting(by: rule)
            } catch {
                preconditionFailure("text \(key) in \(language): \(error)")
            }
        }
    }

    /// The text of a key with its arguments, which are never read as messages themselves.
    ///
    /// - Returns: the key itself where the catalogue lacks it or an argument is missing: a fault of the program, which
    ///   shows, and harms nothing else.
    public func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        text(key, values, nil) ?? key
    }

    public func has(_ key: String) -> Bool { messages[key] != nil }

    /// Whether a text may stand under a key: it is a message, asks for no value that the key's own text lacks, and has
    /// only plural forms of this language.
    ///
    /// - Throws: the first fault, with its place in the text.
    public func check(_ text: String, for key: String) throws(MessageFault) {
        let message = try Message(text)
        let known = Set(self.message(key)?.names ?? [])
        func place(of part: String) -> Int {
            text.firstRange(of: part).map { text.distance(from: text.startIndex, to: $0.lowerBound) } ?? 0
        }
        if text.isEmpty { throw MessageFault(reason: .empty, offset: 0) }
        if let name = message.names.first(where: { !known.contains($0) }) {
            throw MessageFault(reason: .unknownValue(name), offset: place(of: "{" + name))
        }
        try checkUses(of: message, for: key, place: place)
        let categories = plural.categories.union([.other]).map(\.rawValue)
        if let form = message.pluralForms.first(where: { !$0.hasPrefix("=") && !categories.contains($0) }) {
            throw MessageFault(reason: .unknownForm(form), offset: place(of: form + " {"))
        }
    }

    /// Checks that each value stands in a form that the key's own text has, and is optional where it is there.
    private func checkUses(
        of message: Message, for key: String, place: (String) -> Int
    ) throws(MessageFault) {
        let own = self.message(key)?.uses ?? []
        for use in message.uses.sorted(by: { $0.name < $1.name }) {
            let sameKind = own.filter { $0.name == use.name && $0.kind == use.kind }
            guard !own.contains(where: { $0.name == use.name }) || !sameKind.isEmpty else {
                throw MessageFault(reason: .otherKind(use.name), offset: place("{" + use.name))
            }
            if !use.isOptional, !sameKind.isEmpty, sameKind.allSatisfy(\.isOptional) {
                throw MessageFault(reason: .maybeAbsent(use.name), offset: place("{" + use.name))
            }
        }
    }

    /// The names of the values that a text has, in alphabetical order; none where the catalogue lacks it.
    public func arguments(of key: String) -> [String] { message(key)?.names.sorted() ?? [] }

    /// - Parameter reading: without it, times count as missing.
    /// - Returns: nil where the catalogue lacks the key or an argument is missing.
    func text(_ key: String, _ values: [String: String], _ reading: Reading?) -> String? {
        message(key).flatMap { text($0, values, reading) }
    }

    func message(_ key: String) -> Message? { messages[key] }

    func text(_ message: Message, _ values: [String: String], _ reading: Reading?) -> String? {
        var earlier: Int?
        return text(message.parts, values, reading, message.plural ?? plural, &earlier)
    }

    /// - Parameter earlier: the last time in the text so far, whose day the next one does not repeat.
    private func text(
        _ parts: [Message.Part], _ values: [String: String], _ reading: Reading?, _ plural: PluralRule,
        _ earlier: inout Int?
    ) -> String? {
        var text = ""
        for part in parts {
            guard let next = self.text(part, values, reading, plural, &earlier) else { return nil }
            text += next
        }
        return text
    }

    private func text(
        _ part: Message.Part, _ values: [String: String], _ reading: Reading?, _ plural: PluralRule,
        _ earlier: inout Int?
    ) -> String? {
        switch part {
        case .literal(let words): return words
        case .value(let name): return values[name].map(direction.isolated)
        case .number(let name): return values[name]
        case .time(let name, let isInSentence):
            guard let time = values[name].flatMap({ Int($0) }), let reading else { return nil }
            defer { earlier = time }
            return self.time(time, reading, after: earlier, isInSentence: isInSentence)
        case .date(let name):
            guard let time = values[name].flatMap({ Int($0) }), let reading else { return nil }
            earlier = time
            let today = ClockTime(reading.now, in: reading.timeZone).day
            return date(WrittenTime.Day(ClockTime(time, in: reading.timeZone), today: today))
        case .duration(let name): return values[name].flatMap { Int($0) }.map(duration(minutes:))
        case .amount(let name): return values[name].flatMap { Amount($0) }.map(amount)
        case .plural(let name, let branches):
            guard let count = values[name].flatMap({ Int($0) }) else { return nil }
            let branch = branches["=\(count)"] ?? branches[plural(count).rawValue] ?? branches["other"]
            return self.text(branch ?? [], values, reading, plural, &earlier)
        case .select(let name, let branches):
            var last = earlier
            if let value = values[name],
                let chosen = self.text(
                    (value == "none" ? nil : branches[value]) ?? branches["other"] ?? [], values, reading, plural,
                    &last)
            {
                earlier = last
                return chosen
            }
            return branches["none"].flatMap { self.text($0, values, reading, plural, &earlier) }
        }
    }
}

/// A language's formats of times and amounts, under `format.`.
extension TextCatalogue {
    /// - Parameters:
    ///   - earlier: the time before it in the same text, whose day it does not repeat.
    ///   - isInSentence: whether it follows a word such as "since".
    func time(_ time: Int, _ reading: Reading, after earlier: Int? = nil, isInSentence: Bool = false) -> String {
        let written = WrittenTime(time, reading, after: earlier)
        return (written.day.map { date($0) + " " } ?? "")
            + (isInSentence ? clockInSentence(written) : clock(written.time)) + written.offset
    }

    /// A time's clock time, without its day.
    func clock(_ written: WrittenTime) -> String { clock(written.time) + written.offset }

    /// A clock time with the word that a sentence has for it.
    ///
    /// A language may omit the word where the clock time names the half of the day.
    private func clockInSentence(_ written: WrittenTime) -> String {
        var values = ["clock": clock(written.time)]
        if hourCycle == .hours12 { values["half"] = half(of: written.time) }
        return self("format.time_in_sentence", values)
    }

    private func clock(_ time: ClockTime) -> String {
        switch hourCycle {
        case .hours24: time.text()
        case .hours12: self("format.hours12", ["clock": time.textOf12Hours, "half": half(of: time)])
        }
    }

    private func half(of time: ClockTime) -> String { time.isMorning ? "am" : "pm" }

    func date(_ day: WrittenTime.Day) -> String {
        var values = ["weekday": String(day.weekday), "day": String(day.day), "month": String(day.month)]
        values["year"] = day.year.map(String.init)
        return self("format.date", values)
    }

    func duration(minutes: Int) -> String {
        self("format.duration", ["hours": String(minutes / 60), "minutes": String(minutes % 60)])
    }

    /// Without its sign.
    func amount(_ amount: Amount) -> String {
        let digits = amount.digits(decimalMark: self("format.decimal_mark"), groupMark: self("format.group_mark"))
        return self("format.amount", ["digits": digits, "currency": amount.currency])
    }
}
