internal import Foundation
internal import HTTPTypes
package import Hummingbird

extension Request {
    /// Whether the client shows pages: a browser, or htmx on a page of the service.
    package var wantsPage: Bool {
        headers[.accept]?.contains("text/html") == true || isByHTMX
    }

    /// Whether htmx sends the request, on a page of the service.
    package var isByHTMX: Bool { headers[.htmxRequest] == "true" }

    /// Whether its body is a form's.
    package var isForm: Bool { headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true }

    /// The locale with the best known of the languages that the reader prefers, as the browser names it, such as
    /// `en-us`; the first known language where none is.
    package func locale(among known: [String]) -> String {
        let preferred = (headers[.acceptLanguage] ?? "").split(separator: ",").compactMap { part in
            let pieces = part.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return pieces.first.map { locale in
                (
                    locale: locale.lowercased(), language: locale.prefix { $0.isLetter }.lowercased(), weight: weight
                )
            }
        }
        // Stable: of two equal ones the first.
        let best = preferred.enumerated().filter { known.contains($0.element.language) && $0.element.weight > 0 }
            .max { ($0.element.weight, -$0.offset) < ($1.element.weight, -$1.offset) }
        return best?.element.locale ?? known.first ?? ""
    }

    /// Whether a page of another site sent it: such a form is not the reader's own.
    ///
    /// - Parameter origin: of our pages, such as `https://go.nordhavn.example`.
    package func isFromElsewhere(than origin: String) -> Bool {
        if let site = headers[.secFetchSite], site != "same-origin", site != "none" { return true }
        guard let from = headers[.origin] else { return false }
        return from != origin
    }

    /// The value of a cookie.
    package func cookie(_ name: String) -> String? {
        headers[values: .cookie].flatMap { $0.split(separator: ";") }.lazy
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}

extension HTTPField.Name {
    fileprivate static let htmxRequest = HTTPField.Name("HX-Request")!
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
