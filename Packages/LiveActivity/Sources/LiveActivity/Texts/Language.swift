import Foundation

/// The texts of a language, as its file in the folder `Languages` has them.
///
/// Translators edit those files. An app's build embeds no resources in code for several architectures, so each is compiled
/// from a copy in the folder `Compiled`; a test compares them.
struct Language: Sendable {
    /// ISO 639-1, such as `da`.
    let code: String
    /// Messages by key; see `Message`.
    let texts: [String: String]

    /// The languages that are compiled in, English first.
    ///
    /// English texts travel with codes, and stand in where another language has none.
    static let codes = ["en", "da", "de", "fr", "es", "it", "nl", "pl", "sv", "pt", "tr", "ar"]
}

extension Language {
    /// - Parameter file: a JSON object of messages by key; it traps on any other, since files are compiled in.
    init(_ code: String, _ file: String) {
        self.code = code
        do {
            texts = try JSONDecoder().decode([String: String].self, from: Data(file.utf8))
        } catch {
            preconditionFailure("the texts of \(code) are no JSON object of texts: \(error)")
        }
    }
}
