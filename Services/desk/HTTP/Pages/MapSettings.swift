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
    init() { self.init(streets: nil, tiles: nil, attribution: nil) }

    init(streets: StreetsFile?, tiles: Tiles?, attribution: String?) {
        self.streets = streets
        self.tiles = tiles
        self.attribution = attribution
    }
}
