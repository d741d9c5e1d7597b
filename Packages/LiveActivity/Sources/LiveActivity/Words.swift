import Foundation

/// The texts of one language: the one place where codes become words.
///
/// A code that this version does not know is rendered in the English that travels with it.
public struct Words: Sendable {
    public typealias ContentState = GroceryDeliveryAttributes.ContentState

    /// The languages that have texts of their own here, English first.
    public static let languages = Language.codes

    /// Every text of the language.
    public let catalogue: TextCatalogue
    /// The language that was found.
    public var language: String { catalogue.language }

    /// The words of a locale, such as `da`, `da-DK` or `da_DK.UTF-8`; English for any other.
    ///
    /// - Parameter hourCycle: how times are written; by default as the locale's region does. An app passes that of its
    ///   user's settings, `HourCycle(.current)`.
    public init(locale: String, hourCycle: HourCycle? = nil) {
        catalogue = (TextCatalogue.builtIn(Self.language(of: locale)) ?? .english)
            .writing(hourCycle ?? HourCycle(locale: locale))
    }

    /// The words of a catalogue, such as one with texts of your own.
    public init(_ catalogue: TextCatalogue) { self.catalogue = catalogue }

    /// The language of a locale, in lower case: `da` of `da-DK` and of `da_DK.UTF-8`.
    public static func language(of locale: String) -> String { locale.prefix { $0.isLetter }.lowercased() }

    /// The first line of a card.
    ///
    /// - Parameter now: when it is read, epoch seconds, as everywhere here: a time on another day is written with its day.
    public func headline(_ content: ContentState, _ attributes: GroceryDeliveryAttributes, now: Int) -> String {
        text(content.headline, timeZone: attributes.timeZone, now: now)
    }

    /// The second line of a card.
    public func detail(_ content: ContentState, _ attributes: GroceryDeliveryAttributes, now: Int) -> String? {
        content.detail.map { text($0, timeZone: attributes.timeZone, now: now) }
    }

    /// Any phrase as text, its times in the time zone of this IANA name.
    public func text(_ phrase: Phrase, timeZone: String, now: Int) -> String {
        let reading = Reading(timeZone: timeZone, now: now)
        var parts: [String] = []
        for code in phrase.code.split(separator: "+", omittingEmptySubsequences: false) {
            guard let known = PhraseCode(rawValue: String(code)),
                let part = catalogue.text("phrase.\(known.rawValue)", phrase.values, reading)
            else { return phrase.text }
            parts.append(part)
        }
        return parts.joined(separator: " · ")
    }

    /// The same in words that fit: its longest names are shortened first, so that of two none is cut off alone.
    public func text(_ phrase: Phrase, timeZone: String, now: Int, fitting fits: (String) -> Bool) -> String {
        var text = text(phrase, timeZone: timeZone, now: now)
        guard !fits(text) else { return text }
        let codes = phrase.code.split(separator: "+").compactMap { PhraseCode(rawValue: String($0)) }
        let names = Set(codes.flatMap { catalogue.phrase($0)?.textNames ?? [] })
        var longest = names.compactMap { phrase.values[$0]?.count }.max() ?? 0
        while longest > Self.nameCharactersMin, !fits(text) {
            longest -= 1
            let shorter = phrase.values.map { name, value in
                (name, names.contains(name) ? value.shortened(to: longest) : value)
            }
            text = self.text(
                Phrase(code: phrase.code, values: Dictionary(uniqueKeysWithValues: shorter), text: phrase.text),
                timeZone: timeZone, now: now)
        }
        return text
    }

    /// Characters to which a name is shortened at most.
    private static let nameCharactersMin = 4

    /// The words of a push's alert; a key that this version does not know is rendered as `fallback`.
    public func text(_ text: PushText, fallback: Phrase, timeZone: String, now: Int) -> String {
        switch text {
        case .plain(let words): return words
        case .localized(let key, let arguments):
            guard let known = AlertKey(text: key), known.valueNames.count == arguments.count else {
                return self.text(fallback, timeZone: timeZone, now: now)
            }
            let values = Dictionary(uniqueKeysWithValues: zip(known.valueNames, arguments))
            let phrase = Phrase(code: known.code.rawValue, values: values, text: fallback.text)
            return self.text(phrase, timeZone: timeZone, now: now)
        }
    }

    /// The words of a button of this content; its own English where the verb is unknown.
    public func title(_ button: CardButton, in content: ContentState) -> String {
        Verb(rawValue: button.verb).map {
            catalogue.title($0, courier: content.courier, difference: content.priceDifference)
        } ?? button.title
    }

    /// The same in fewer words, for a row of buttons without room for the whole titles.
    public func shortTitle(_ button: CardButton, in content: ContentState) -> String {
        Verb(rawValue: button.verb).map { catalogue.shortTitle($0, difference: content.priceDifference) }
            ?? button.title
    }

    /// A phase in a word or two; the code itself, without its underscores, where it is unknown.
    public func phase(_ phase: Phase) -> String {
        catalogue.text("phase.\(phase.rawValue)", [:], nil) ?? phase.rawValue.replacing("_", with: " ")
    }

    /// A phase in at most eight columns, for the side of a compact island.
    public func shortPhase(_ phase: Phase) -> String {
        catalogue.text("phase.\(phase.rawValue).short", [:], nil)
            ?? String(phase.rawValue.replacing("_", with: " ").prefix(8))
    }

    /// The phase of a card in a word or two, with its own for goods that are handed over by the courier's word.
    public func phase(_ content: ContentState) -> String { phase(shownPhase(of: content)) }

    /// The same in at most eight columns.
    public func shortPhase(_ content: ContentState) -> String { shortPhase(shownPhase(of: content)) }

    /// The phase by its texts: goods that are handed over have the phase `at_door`, and texts of their own.
    private func shownPhase(of content: ContentState) -> Phase {
        content.isHandedOver ? Phase(rawValue: PhraseCode.handedOver.rawValue) : content.phase
    }

    /// A flag in a word or two; nil for one that this version does not know, which is then not shown.
    public func flag(_ code: String) -> String? { catalogue.text("flag.\(code)", [:], nil) }

    /// A courier's vehicle; the code itself where it is unknown.
    public func vehicle(_ code: String) -> String { catalogue.text("vehicle.\(code)", [:], nil) ?? code }
}
