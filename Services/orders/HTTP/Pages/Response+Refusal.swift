import HTTPTypes
import Hummingbird
import InterfaceTexts
import LiveActivity
import WebPages

/// Pages in place of the one that was asked for, for customers and couriers alike.
extension Response {
    private static let templates = PageTemplates(compiled: ["refusal": PackageResources.refusal_mustache])

    /// Why there is nothing to see.
    ///
    /// - Parameters:
    ///   - key: of the page's title and its text.
    ///   - scripts: of the page; empty for a static page.
    static func refusal(
        _ key: String, status: HTTPResponse.Status, texts: TextCatalogue, scripts: [PageAsset] = []
    ) -> Response {
        let title = texts(key + ".title")
        return .page(
            templates.page(
                "refusal", ["title": title, "text": texts(key + ".text")], language: texts.language,
                direction: texts.direction.rawValue, title: title, scripts: scripts),
            status: status)
    }

    /// The database is unavailable: the page reloads itself, even without a script.
    static func unavailable(to request: Request, texts: TextCatalogue) -> Response {
        let isReading = request.method == .get || request.method == .head
        let key = isReading ? "refusal.unavailable" : "refusal.not_taken"
        var response = refusal(key, status: .serviceUnavailable, texts: texts)
        response.headers[.retryAfter] = "2"
        if isReading { response.headers[.refresh] = "5" }
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let refresh = HTTPField.Name("Refresh")!
}
