import Foundation
import LiveActivity
import Testing

@testable import InterfaceTexts

@Suite("Texts of an installation's own")
struct InstallationTextsTests {
    private func reading(_ files: [String: String]) throws -> InstallationTexts {
        try InstallationTexts(files: files.mapValues { Data($0.utf8) })
    }

    @Test("An installation's text replaces the one that is compiled in, and a store's the installation's")
    func replaced() throws {
        let texts = try reading([
            "da.json": #"{"page.items": "Dine varer", "phrase.placed": "Tak for din ordre"}"#,
            "stores/nordhavn/da.json": #"{"page.items": "Varer fra {store}", "page.footer": "Hilsen Nordhavn"}"#
                .replacing("{store}", with: "os"),
        ])
        func item(_ key: String, _ store: String?) -> String { texts.words("da-DK", of: store).texts(key) }
        #expect(item("page.items", nil) == "Dine varer" && item("page.items", "valby") == "Dine varer")
        #expect(
            item("page.items", "nordhavn") == "Varer fra os" && item("page.footer", "nordhavn") == "Hilsen Nordhavn")
        #expect(item("page.go_on", "nordhavn") == Words(locale: "da").texts("page.go_on"))
        let placed = Phrase(code: "placed", values: [:], text: "Your order is in")
        #expect(texts.words("da", of: "nordhavn").text(placed, timeZone: "UTC", now: 0) == "Tak for din ordre")
        #expect(texts.words("en").texts("page.items") == "Your items" && texts.languages() == Words.languages)
    }

    @Test("A thirteenth language is one file; what it lacks is English, in its own plurals and direction")
    func thirteenth() throws {
        var pseudo = InterfaceTexts.english.mapValues { "⟦\($0)⟧" }
        for key in Words(locale: "en").catalogue.keys where key == "phase.picking" { pseudo[key] = "⟦Picking⟧" }
        pseudo["page.back"] = nil
        let file = String(decoding: try JSONEncoder().encode(pseudo), as: UTF8.self)
        let texts = try reading(["he.json": file, "stores/nordhavn/fi.json": #"{"page.items": "Ostoksesi"}"#])
        let words = texts.words("he-IL")
        #expect(words.language == "he" && words.texts.direction == .rightToLeft)
        #expect(words.texts("page.items") == "⟦Your items⟧" && words.texts("page.back") == "Back to the delivery")
        #expect(words.phase(Phase(rawValue: "picking")) == "⟦Picking⟧")
        #expect(texts.languages() == Words.languages + ["he"])
        #expect(texts.languages(of: "nordhavn") == Words.languages + ["fi", "he"])
        #expect(texts.words("fi", of: "nordhavn").texts("page.items") == "Ostoksesi")
        #expect(texts.words("fi").language == "en")
    }

    @Test("Every fault is named, with its file, line, key and character")
    func faults() throws {
        let files = [
            "da.json": "{\n\"page.items\": \"Varer {stroe}\",\n\"page.footer\": \"\"\n}",
            "de.json": "{\"page.items\": \"Artikel\",}", "danish.json": "{}",
            "fr.json": "{\n\n\"page.items\": 3}", "sv.json": "[]",
            "stores/nordhavn/da.json": "{\"page.bag\": \"{number\"}",
        ]
        let fault = try #require(throws: TextFolderFault.self) { try reading(files) }
        #expect(
            fault.faults == [
                "da.json, line 3, page.footer, character 1: the text is empty",
                "da.json, line 2, page.items, character 7: {stroe} is no value of this text",
                "danish.json: a file is named by its language's ISO 639 code, such as da.json or stores/nordhavn/da.json",
                "de.json: unexpected \"}\" at line 1, column 26",
                "fr.json, line 3, page.items: a file is one object, and each of its values a text",
                "stores/nordhavn/da.json, line 1, page.bag, character 8: a brace or a quotation is not closed",
                "sv.json: a file is one object, and each of its values a text",
            ])
    }

    @Test("A text of another version is left out, and named")
    func unused() throws {
        let texts = try reading(["da.json": #"{"page.of_tomorrow": "I morgen", "page.items": "Varer"}"#])
        #expect(texts.unused == ["da.json: page.of_tomorrow"] && texts.words("da").texts("page.items") == "Varer")
    }

    @Test("A store's own words come before every file, for that store alone, and a faulty one is passed over")
    func ofStore() throws {
        let folder = try reading([
            "da.json": #"{"page.items": "Fra mappen", "page.footer": "Mappens"}"#,
            "stores/nordhavn/da.json": #"{"page.go_on": "Butikkens"}"#,
        ])
        let words = [
            "da": ["page.items": "Fra os", "page.bag": "{pose}", "phrase.placed": "Tak"],
            "fi": ["page.items": "Ostokset"],
        ]
        let texts = folder.adding(words, of: "nordhavn")
        func text(_ key: String, _ language: String = "da", of store: String = "nordhavn") -> String {
            texts.words(language, of: store).texts(key, ["number": "1", "count": "2"])
        }
        #expect(text("page.items") == "Fra os" && text("page.footer") == "Mappens" && text("page.go_on") == "Butikkens")
        #expect(text("page.bag") == Words(locale: "da").texts("page.bag", ["number": "1", "count": "2"]))
        #expect(text("page.items", of: "valby") == "Fra mappen")
        #expect(text("page.items", "fi") == "Ostokset" && text("page.back", "fi") == "Back to the delivery")
        #expect(texts.languages(of: "nordhavn").contains("fi") && !texts.languages(of: "valby").contains("fi"))
        let placed = Phrase(code: "placed", values: [:], text: "Your order is in")
        #expect(texts.words("da", of: "nordhavn").text(placed, timeZone: "UTC", now: 0) != "Tak")
    }

    @Test("Why a store's own text cannot be shown is said with its place; texts of pages alone can be its own")
    func faultsOfStore() {
        func fault(_ text: String, _ key: String) -> String? { InstallationTexts.fault(of: text, for: key, in: "da") }
        #expect(fault("{left, plural, one {# gang} other {# gange}}", "page.wrong_reference") == nil)
        #expect(fault("{left, plural, few {#} other {#}}", "page.wrong_reference")?.contains("\"few\"") == true)
        #expect(fault("{stroe}", "page.items") == "character 1: {stroe} is no value of this text")
        for key in ["phrase.placed", "courier.title", "page.of_tomorrow", ""] {
            #expect(fault("Tak", key) == "is no text of a customer's page")
        }
    }
}
