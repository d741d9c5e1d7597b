package import Foundation
package import LiveActivity

/// The texts that an installation shows: those compiled in, under its own and those of its stores.
package struct InstallationTexts: Sendable {
    /// The folder of stores' folders.
    package static let storesFolder = "stores"
    /// The most bytes of a file; those that are compiled in have a twentieth of it.
    package static let fileBytesMax = 1 << 20

    /// The texts that are compiled in.
    package static let builtIn = InstallationTexts()

    /// By language.
    private var words: [String: Words] = [:]
    /// By store and language.
    private var wordsOfStores: [String: [String: Words]] = [:]
    /// Keys that this version shows nowhere, each with its file, in the files' order: texts of another version.
    package private(set) var unused: [String] = []

    private init() {}

    /// - Parameter files: the content by path, such as `da.json` for a whole installation and `stores/nordhavn/da.json`
    ///   for a store: JSON objects of texts by key, in ICU's MessageFormat. A file may have some of the texts alone; a
    ///   language that is not compiled in has English ones for the rest.
    /// - Throws: ``TextFolderFault`` with every fault of every file.
    package init(files: [String: Data]) throws(TextFolderFault) {
        var reader = TextFolderReader()
        let (own, ofStores) = reader.read(files)
        if !reader.faults.isEmpty { throw TextFolderFault(faults: reader.faults) }
        unused = reader.unused
        words = own.reduce(into: [:]) { words, file in
            words[file.key] = Words(Self.base(file.key).adding(file.value))
        }
        for (store, files) in ofStores {
            wordsOfStores[store] = files.reduce(into: [:]) { words, file in
                words[file.key] = Words((self.words[file.key]?.catalogue ?? Self.base(file.key)).adding(file.value))
            }
        }
    }

    /// The languages that a store's customers can read, English first.
    ///
    /// - Parameter store: nil for a page of no store.
    package func languages(of store: String? = nil) -> [String] {
        let added = Set(words.keys).union(store.flatMap { wordsOfStores[$0]?.keys.map(\.self) } ?? [])
        return Words.languages + added.subtracting(Words.languages).sorted()
    }

    /// The words of a locale, such as `da-DK`; English for a language without any.
    package func words(_ locale: String, of store: String? = nil) -> Words {
        let language = Words.language(of: locale)
        guard let own = store.flatMap({ wordsOfStores[$0]?[language] }) ?? words[language] else {
            return Words(locale: locale)
        }
        return Words(own.catalogue.writing(HourCycle(locale: locale)))
    }

    // MARK: A store's own words

    /// The texts of customers' pages, which a store may have its own words for.
    package static let pageKeys = Set(InterfaceTexts.english.keys.filter { $0.split(separator: ".").first == "page" })

    /// Why a text of a page cannot be shown, with its place; nil for a text that can.
    package static func fault(of text: String, for key: String, in language: String) -> String? {
        guard pageKeys.contains(key) else { return "is no text of a customer's page" }
        do {
            try base(language).check(text, for: key)
            return nil
        } catch {
            return error.description
        }
    }

    /// These texts with a store's own words before them, for that store alone.
    ///
    /// A text that this version's pages cannot show is passed over: it was checked by the version that stored it.
    ///
    /// - Parameter words: texts of pages by language and key.
    package func adding(_ words: [String: [String: String]], of store: String) -> InstallationTexts {
        var texts = self
        var own = wordsOfStores[store] ?? [:]
        for (language, messages) in words {
            let known = messages.filter { Self.fault(of: $0.value, for: $0.key, in: language) == nil }
            let former = (own[language] ?? self.words[language])?.catalogue ?? Self.base(language)
            own[language] = Words(former.adding(known))
        }
        texts.wordsOfStores = [store: own]
        return texts
    }

    /// Everything that is compiled in of a language, in English where there is nothing.
    static func base(_ language: String) -> TextCatalogue {
        Words.languages.contains(language)
            ? Words(locale: language).texts : TextCatalogue(language: language).addingEnglish(InterfaceTexts.english)
    }
}

/// The faults of a folder of texts.
package struct TextFolderFault: Error, Hashable, CustomStringConvertible {
    /// `stores/nordhavn/da.json, line 3, page.items, character 6: {stroe} is no value of this text`.
    package let faults: [String]

    package var description: String { faults.joined(separator: "; ") }
}
