import Foundation
import LiveActivity

/// A string catalogue, as Xcode keeps it in an `.xcstrings` file; the same bytes for the same strings.
struct StringCatalogue {
    /// A file that is no string catalogue.
    struct Unreadable: Error, Hashable {}

    private var root: [String: Any]

    /// An empty catalogue, whose source language is English.
    init() { root = ["sourceLanguage": "en", "strings": [String: Any](), "version": "1.0"] }

    init(reading data: Data) throws(Unreadable) {
        // `Unreadable` stands for every document that is no catalogue; the caller adds the path.
        guard let root = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            root["strings"] is [String: Any], root["sourceLanguage"] is String
        else { throw Unreadable() }
        self.root = root
    }

    /// Adds a text in a language.
    ///
    /// - Returns: false where the catalogue has one already, which stays: an app may have its own texts.
    @discardableResult
    mutating func add(_ key: String, _ text: CatalogueText, language: String, comment: String) -> Bool {
        var strings = root["strings"] as? [String: Any] ?? [:]
        var entry = strings[key] as? [String: Any] ?? [:]
        var localizations = entry["localizations"] as? [String: Any] ?? [:]
        guard localizations[language] == nil else { return false }
        localizations[language] = Self.localization(text)
        entry["localizations"] = localizations
        // Without it Xcode removes keys that it finds in no source.
        entry["extractionState"] = entry["extractionState"] ?? "manual"
        entry["comment"] = entry["comment"] ?? comment
        strings[key] = entry
        root["strings"] = strings
        return true
    }

    func encoded() throws -> Data {
        var data = try JSONSerialization.data(
            withJSONObject: root, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        data.append(UInt8(ascii: "\n"))
        return data
    }

    private static func localization(_ text: CatalogueText) -> [String: Any] {
        var localization: [String: Any] = ["stringUnit": unit(text.format)]
        guard !text.counts.isEmpty else { return localization }
        localization["substitutions"] = text.counts.reduce(into: [String: Any]()) { substitutions, count in
            substitutions[count.name] = [
                "argNum": count.position, "formatSpecifier": "lld",
                "variations": ["plural": count.forms.mapValues { ["stringUnit": unit($0)] }],
            ]
        }
        return localization
    }

    private static func unit(_ value: String) -> [String: String] { ["state": "translated", "value": value] }
}
