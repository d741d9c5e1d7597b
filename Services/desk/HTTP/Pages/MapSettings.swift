/// The map's background: none, a file of streets, or a tile server of the operator's choice.
struct MapSettings: Sendable {
    struct Tiles: Sendable {
        /// The URL template, such as `https://tiles.example.com/{z}/{x}/{y}.png`.
        let url: String
        /// The origin for the pages' image policy, such as `https://tiles.example.com`.
        let origin: String
    }

    let streets: StreetsFile?
    let tiles: Tiles?
    /// The attribution of the tiles, or of the streets; nil for none.
    let attribution: String?

    /// A map without a background.
    init() { self.init(streets: nil, tiles: nil, attribution: nil) }

    init(streets: StreetsFile?, tiles: Tiles?, attribution: String?) {
        self.streets = streets
        self.tiles = tiles
        self.attribution = attribution
    }
}
