import Configuration
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
