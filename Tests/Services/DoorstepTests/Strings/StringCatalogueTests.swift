import CommandLineTestSupport
import Foundation
import LiveActivity
import Testing

@testable import Doorstep

@Suite("String catalogues")
struct StringCatalogueTests {
    private static func catalogue(_ table: StringTable, _ languages: [String]? = nil) throws -> Data {
        var catalogue = StringCatalogue()
        _ = table.add(to: &catalogue, languages: languages)
        return try catalogue.encoded()
    }

    private static func value(_ key: String, _ language: String, in data: Data) throws -> String? {
        let root = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let strings = try #require(root["strings"] as? [String: [String: Any]])
        let localizations = strings[key]?["localizations"] as? [String: [String: Any]]
        return (localizations?[language]?["stringUnit"] as? [String: String])?["value"]
    }

    @Test("They are the same bytes each time, and as promised", arguments: StringTable.allCases)
    func golden(table: StringTable) throws {
        let data = try Self.catalogue(table, ["en", "da"])
        #expect(try Self.catalogue(table, ["en", "da"]) == data)
        try expectGolden(String(decoding: data, as: UTF8.self), "strings-\(table.rawValue).xcstrings")
    }

    @Test("Every key of an alert has its text in every language", arguments: Words.languages)
    func alerts(language: String) throws {
        let data = try Self.catalogue(.alerts)
        for (key, text) in Words(locale: language).alertStrings {
            #expect(try Self.value(key, language, in: data) == text)
        }
        #expect(try Self.value("%@ instead of %@?", "da", in: data) == "%1$@ i stedet for %2$@?")
    }

    @Test("Every text of a card is there in every language with the same values", arguments: Words.languages)
    func cards(language: String) {
        let english = Words(locale: "en").cardTexts
        let own = Words(locale: language).cardTexts
        #expect(english.count > 150 && Set(english.keys) == Set(own.keys))
        for (key, text) in english {
            #expect(Self.values(of: text) == own[key].map(Self.values), "\(key)")
        }
    }

    @Test("A count has its forms beside the text")
    func counts() {
        let (english, danish) = (Words(locale: "en").cardTexts, Words(locale: "da").cardTexts)
        #expect(english["phrase.stops_before"]?.format == "%#@stops@ before you")
        #expect(
            english["phrase.stops_before"]?.counts
                == [.init(name: "stops", position: 1, forms: ["one": "%arg stop", "other": "%arg stops"])])
        #expect(danish["phase.at_door"]?.format == "Ved din dør")
    }

    private static func values(of text: CatalogueText) -> Set<String> {
        Set(text.format.matches(of: /%(?:[0-9]+\$@|#@[a-z]+@)/).map { String($0.output) })
    }

    @Test("What an app says in words of its own stays, and what is not ours too")
    func kept() throws {
        let own = """
            {"sourceLanguage":"da","version":"1.0","strings":{
             "Delivered":{"localizations":{"da":{"stringUnit":{"state":"translated","value":"Så er der mad"}}}},
             "Checkout":{"extractionState":"manual"}}}
            """
        var catalogue = try StringCatalogue(reading: Data(own.utf8))
        let count = StringTable.alerts.add(to: &catalogue)
        let data = try catalogue.encoded()
        #expect(try Self.value("Delivered", "da", in: data) == "Så er der mad")
        #expect(try Self.value("Delivered", "en", in: data) == "Delivered")
        #expect(String(decoding: data, as: UTF8.self).contains(#""sourceLanguage" : "da""#))
        #expect(String(decoding: data, as: UTF8.self).contains("Checkout"))
        #expect(count == Words.languages.count * Words(locale: "en").alertStrings.count - 1)
        var again = try StringCatalogue(reading: data)
        #expect(StringTable.alerts.add(to: &again) == 0)
        #expect(try again.encoded() == data)
    }

    @Test(
        "A file that is no catalogue is refused", arguments: ["", "[]", "{}", #"{"strings":[],"sourceLanguage":"en"}"#])
    func unreadable(text: String) {
        #expect(throws: StringCatalogue.Unreadable.self) { try StringCatalogue(reading: Data(text.utf8)) }
    }
}
