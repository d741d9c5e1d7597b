import TileArchive

/// The map's background: none, a file of streets, a file of images, or a tile server of the operator's choice.
struct MapSettings: Sendable {
    struct Tiles: Sendable {
        /// The URL template, such as `https://tiles.example.com/{z}/{x}/{y}.png`.
        let url: String
        /// The origin for the pages' image policy, such as `https://tiles.example.com`.
        let origin: String
    }

    /// The images beneath the map, and where browsers load them.
    enum Images: Sendable {
        case server(Tiles)
        /// A file that the desk serves itself.
        case file(TileArchive)
    }

    let streets: StreetsFile?
    let images: Images?
    /// The makers of the images and of the streets; nil for none.
    let attribution: String?

    /// - Parameter imageAttribution: the makers of the images, as plain text.
    init(streets: StreetsFile? = nil, images: Images? = nil, imageAttribution: String? = nil) {
        self.streets = streets
        self.images = images
        let makers = [imageAttribution, streets?.attribution].compactMap(\.self)
        attribution = makers.isEmpty ? nil : makers.joined(separator: ", ")
    }

    /// The file of images; nil without one.
    var archive: TileArchive? {
        if case .file(let archive) = images { archive } else { nil }
    }

    /// The origin of images that other machines serve; nil where the desk serves them, and without any.
    var imagesOrigin: String? {
        if case .server(let tiles) = images { tiles.origin } else { nil }
    }

    /// The attributes of the map's element for its images.
    ///
    /// A file's version is in its address: browsers keep an image, and load it again once the file is another.
    var values: [String: Any] {
        var values: [String: Any] = [:]
        values["attribution"] = attribution
        switch images {
        case .server(let tiles): values["tiles"] = tiles.url
        case .file(let archive):
            let (zooms, bounds) = (archive.header.zooms, archive.header.bounds)
            values["tiles"] = "/map/tiles/{z}/{x}/{y}?of=\(archive.version)"
            values["zooms"] = "\(zooms.lowerBound) \(zooms.upperBound)"
            values["bounds"] = "\(bounds.south) \(bounds.west) \(bounds.north) \(bounds.east)"
        case nil: break
        }
        return values
    }
}
