import WebPages

/// The map's background: none, a file of streets, and images.
struct MapSettings: Sendable {
    var streets: StreetsFile?
    var images = MapImages()

    /// The makers of the images and of the streets; nil for none.
    var attribution: String? {
        let makers = [images.attribution, streets?.attribution].compactMap(\.self)
        return makers.isEmpty ? nil : makers.joined(separator: ", ")
    }

    /// The attributes of the map's element.
    var values: [String: Any] {
        var values = images.values
        values["attribution"] = attribution
        return values
    }
}
