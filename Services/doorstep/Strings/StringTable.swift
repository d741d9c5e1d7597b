import ArgumentParser
import InterfaceTexts
import LiveActivity

/// The texts of a catalogue.
enum StringTable: String, CaseIterable, ExpressibleByArgument {
    /// Texts of alerts, which iOS resolves in the app's `Localizable` by the keys of pushes.
    case alerts
    /// Texts of cards, by their codes.
    case cards

    /// - Parameters:
    ///   - installation: the texts to write.
    ///   - languages: those to write them in; nil for all.
    /// - Returns: how many texts were new.
    func add(
        to catalogue: inout StringCatalogue, from installation: InstallationTexts = .builtIn,
        languages: [String]? = nil
    ) -> Int {
        (languages ?? installation.languages()).reduce(0) { count, language in
            texts(installation.words(language)).reduce(count) { count, text in
                count
                    + (catalogue.add(text.key, text.value, language: language, comment: comment) ? 1 : 0)
            }
        }
    }

    private var comment: String {
        switch self {
        case .alerts: "Doorstep: an alert of a delivery's card"
        case .cards: "Doorstep: words of a delivery's card"
        }
    }

    private func texts(_ words: Words) -> [String: CatalogueText] {
        switch self {
        case .alerts: words.alertStrings.mapValues { CatalogueText(format: $0, counts: []) }
        case .cards: words.cardTexts
        }
    }
}
