import Foundation
import Hummingbird
import ServiceRuntime

extension Request {
    /// A filter's text in the URL, without white space around it and without control characters; nil where it is empty
    /// or too long.
    ///
    /// Browsers send the fields of a form as `a+b`, and the desk's own links have `a%20b`.
    /// - Parameter charactersMax: code points, as `maxLength` of JSON Schema counts them.
    func filterText(_ name: String, charactersMax: Int = 100) -> String? {
        let text = FormValues(uri.query ?? "").text(name)?.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let text, !text.isEmpty, text.unicodeScalars.count <= charactersMax else { return nil }
        return String(text.unicodeScalars.filter { $0.properties.generalCategory != .control }.map(Character.init))
    }
}
