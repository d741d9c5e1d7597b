import HTTPTypes
import Hummingbird
import WebPages

/// Pages in place of the one that was asked for, for customers and couriers alike.
extension Response {
    private static let templates: PageTemplates = {
        do {
            return try PageTemplates(["refusal": PackageResources.refusal_mustache])
        } catch {
            preconditionFailure("a template of ours has a fault: \(error)")
        }
    }()

    /// Why there is nothing to see.
    static func refusal(
        _ refusal: (title: String, text: String), status: HTTPResponse.Status, language: String
    ) -> Response {
        .page(
            templates.page(
                "refusal", ["title": refusal.title, "text": refusal.text], language: language, title: refusal.title),
            status: status)
    }

    /// The database is away: the page reads itself again, also without a script.
    static func unavailable(to request: Request, language: String) -> Response {
        let isReading = request.method == .get || request.method == .head
        let texts =
            switch (isReading, language) {
            case (true, "da"): ("Siden kan ikke vises lige nu", "Prøv igen om et øjeblik. Intet er gået tabt.")
            case (true, _): ("The page cannot be shown just now", "Try again in a moment. Nothing is lost.")
            case (false, "da"): ("Det blev ikke modtaget", "Gå tilbage, og tryk igen om et øjeblik.")
            case (false, _): ("It was not taken", "Go back, and press again in a moment.")
            }
        var response = refusal(texts, status: .serviceUnavailable, language: language)
        response.headers[.retryAfter] = "2"
        if isReading { response.headers[.refresh] = "5" }
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let refresh = HTTPField.Name("Refresh")!
}
