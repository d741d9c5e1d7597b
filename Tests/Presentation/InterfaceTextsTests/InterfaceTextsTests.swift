import LiveActivity
import Testing

@testable import InterfaceTexts

@Suite("Texts of pages and terminals")
struct InterfaceTextsTests {
    @Test("Every language has every text", arguments: Words.languages)
    func complete(language: String) throws {
        let texts = try #require(InterfaceTexts.texts(of: language))
        // The services answer presses in English themselves.
        let answers = language == "en" ? [] : Set(texts.keys.filter { $0.hasPrefix("answer.") })
        #expect(Set(texts.keys) == Set(InterfaceTexts.english.keys).union(answers))
        #expect(Set(Words(locale: language).texts.keys).isSuperset(of: texts.keys))
    }

    @Test("A text asks for the same values in every language", arguments: Words.languages)
    func sameValues(language: String) throws {
        for (key, text) in try #require(InterfaceTexts.texts(of: language)) {
            #expect(!text.isEmpty && text != key)
            // English lacks the answers to presses, and Danish has them.
            let first = Words(locale: InterfaceTexts.english[key] == nil ? "da" : "en").texts
            #expect(Words(locale: language).texts.arguments(of: key) == first.arguments(of: key), "\(key)")
        }
    }

    @Test("No text replaces one of the cards' own")
    func distinct() {
        let cards = Set(Words(locale: "en").catalogue.keys)
        #expect(cards.isDisjoint(with: InterfaceTexts.english.keys))
        #expect(Words.languages.allSatisfy { cards.isDisjoint(with: (InterfaceTexts.texts(of: $0) ?? [:]).keys) })
    }
}
