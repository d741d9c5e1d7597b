package import Configuration
internal import ProcessSettings
internal import TileArchive

extension MapImages {
    /// Reads the images that three settings name: the path of a file, the URL template of a server, and their makers.
    ///
    /// - Parameters:
    ///   - prefix: of the keys, such as `desk.tiles` for `desk.tiles.file`.
    ///   - path: of a file's images on the service.
    /// - Throws: `ConfigurationError` that names the key.
    package init(reading settings: ConfigReader, keys prefix: String, path: String) throws {
        let (fileKey, urlKey, attributionKey) = ("\(prefix).file", "\(prefix).url", "\(prefix).attribution")
        let url = try settings.text(urlKey)
        if let file = try settings.text(fileKey) {
            guard url == nil else {
                throw ConfigurationError(
                    key: fileKey, problem: "is set, and \(urlKey) too", fix: "set one of the two")
            }
            let archive: TileArchive
            do { archive = try TileArchive(path: file) } catch {
                throw ConfigurationError(
                    key: fileKey, problem: "names \(file), which \(error)",
                    fix: "name a PMTiles file of images (docs/desk.md says how to make one), or none")
            }
            let attribution = try settings.text(attributionKey) ?? archive.attribution
            self.init(.file(archive), attribution: attribution, path: path)
        } else if let url {
            guard let server = Server(url: url) else {
                throw ConfigurationError(
                    key: urlKey, problem: "is no address with {z}, {x} and {y}",
                    fix: "write it as https://tiles.example.com/{z}/{x}/{y}.png")
            }
            let attribution = try settings.requiredText(attributionKey, example: "© OpenStreetMap contributors")
            self.init(.server(server), attribution: attribution, path: path)
        } else {
            self.init()
        }
    }
}
