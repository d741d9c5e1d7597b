import Configuration
import Foundation
import ProcessSettings

/// What the map is drawn on: nothing, a file of streets, or a tile server that the operator names.
struct MapSettings: Sendable {
    struct Tiles: Sendable {
        /// Such as `https://tiles.example.com/{z}/{x}/{y}.png`.
        let url: String
        /// Such as `https://tiles.example.com`: what pages may load images from.
        let origin: String
    }

    let streets: StreetsFile?
    let tiles: Tiles?
    /// Of the tiles, or of the streets; nil for none.
    let attribution: String?

    /// Nothing beneath the map.
    init() { (streets, tiles, attribution) = (nil, nil, nil) }

    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `desk.streets.file` | path of streets in GeoJSON, drawn beneath the map | – | no |
    /// | `desk.tiles.url` | address of a tile server's images with `{z}`, `{x}` and `{y}`; it is shown where operators look | – | no |
    /// | `desk.tiles.attribution` | who made the tiles; required with them | – | no |
    init(reading settings: ConfigReader) throws {
        streets = try settings.text("desk.streets.file").map { path in
            do { return try StreetsFile(contentsOf: path) } catch {
                throw ConfigurationError(
                    key: "desk.streets.file", problem: "\(error)", fix: "name a GeoJSON file of lines, or none")
            }
        }
        if let url = try settings.text("desk.tiles.url") {
            guard let parts = URLComponents(string: url.replacing("{", with: "").replacing("}", with: "")),
                parts.scheme == "https" || parts.scheme == "http", let host = parts.host,
                ["{z}", "{x}", "{y}"].allSatisfy(url.contains)
            else {
                throw ConfigurationError(
                    key: "desk.tiles.url", problem: "is no address with {z}, {x} and {y}",
                    fix: "write it as https://tiles.example.com/{z}/{x}/{y}.png")
            }
            let port = parts.port.map { ":\($0)" } ?? ""
            tiles = Tiles(url: url, origin: "\(parts.scheme ?? "https")://\(host)\(port)")
            attribution = try settings.requiredText("desk.tiles.attribution", example: "© OpenStreetMap contributors")
        } else {
            tiles = nil
            attribution = streets?.attribution
        }
    }
}
