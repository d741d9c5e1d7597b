import Configuration
import LiveActivity
import ProcessSettings

extension IngestHTTP {
    /// Reads the origin of couriers' pages.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `links.origin` | the part before `/c/` in a link to a courier's page; without it no page sends positions | – | no |
    static func pagesOrigin(reading settings: ConfigReader) throws -> String? {
        try settings.origin("links.origin", example: "https://go.nordhavn.example")
    }
}

extension DismissalPolicy {
    /// Reads how long ended cards stay on the Lock Screen; `orders` and `courier-eta` need the same.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `cards.dismissal` | `timed` or `default` | `timed` | no |
    init(reading settings: ConfigReader) throws {
        switch try settings.text("cards.dismissal") ?? "timed" {
        case "timed": self = .standard
        case "default": self = .system
        case let other:
            throw ConfigurationError(
                key: "cards.dismissal", problem: "is \(other)",
                fix: "set it to timed, or to default for the system's four hours")
        }
    }
}
