import Foundation
package import LiveActivity

/// The texts of pages and of the terminal, beside those of cards: a file for each language in the folder `Languages`.
enum InterfaceTexts {
    static let english = read(PackageResources.en_json)

    /// - Parameter language: one of ``LiveActivity/Words/languages``; nil for any other.
    static func texts(of language: String) -> [String: String]? {
        switch language {
        case "en": english
        case "da": read(PackageResources.da_json)
        case "de": read(PackageResources.de_json)
        case "fr": read(PackageResources.fr_json)
        case "es": read(PackageResources.es_json)
        case "it": read(PackageResources.it_json)
        case "nl": read(PackageResources.nl_json)
        case "pl": read(PackageResources.pl_json)
        case "sv": read(PackageResources.sv_json)
        case "pt": read(PackageResources.pt_json)
        case "tr": read(PackageResources.tr_json)
        case "ar": read(PackageResources.ar_json)
        default: nil
        }
    }

    private static func read(_ file: [UInt8]) -> [String: String] {
        do {
            return try JSONDecoder().decode([String: String].self, from: Data(file))
        } catch {
            preconditionFailure("a file of texts that is compiled in is no JSON object of texts: \(error)")
        }
    }
}

/// Everything of the languages that are compiled in, each read when it is first used.
extension InterfaceTexts {
    private static let englishCatalogue = catalogue("en")
    private static let danish = catalogue("da")
    private static let german = catalogue("de")
    private static let french = catalogue("fr")
    private static let spanish = catalogue("es")
    private static let italian = catalogue("it")
    private static let dutch = catalogue("nl")
    private static let polish = catalogue("pl")
    private static let swedish = catalogue("sv")
    private static let portuguese = catalogue("pt")
    private static let turkish = catalogue("tr")
    private static let arabic = catalogue("ar")

    private static func catalogue(_ language: String) -> TextCatalogue {
        Words(locale: language).catalogue.adding(texts(of: language) ?? english)
    }

    fileprivate static func catalogue(of language: String) -> TextCatalogue {
        switch language {
        case "da": danish
        case "de": german
        case "fr": french
        case "es": spanish
        case "it": italian
        case "nl": dutch
        case "pl": polish
        case "sv": swedish
        case "pt": portuguese
        case "tr": turkish
        case "ar": arabic
        default: englishCatalogue
        }
    }
}

extension Words {
    /// Everything that a page or a terminal shows in the language, by key: `words.texts("courier.title")`.
    package var texts: TextCatalogue {
        catalogue.isOfPages ? catalogue : InterfaceTexts.catalogue(of: language).writing(catalogue.hourCycle)
    }

    /// `No news since 18:12`.
    ///
    /// - Parameters:
    ///   - epochSeconds: the time of the newest information.
    ///   - now: the time of reading, epoch seconds.
    package func noNews(since epochSeconds: Int, timeZone: String, now: Int) -> String {
        texts("card.no_news", ["time": moment(epochSeconds, timeZone: timeZone, now: now)])
    }
}

extension TextCatalogue {
    /// Whether the services' own sentences are in this language.
    package var isOfServices: Bool { !has("answer.cancel") }

    /// Whether it has the texts of pages already, beside those of cards.
    fileprivate var isOfPages: Bool { has("page.items") }
}
