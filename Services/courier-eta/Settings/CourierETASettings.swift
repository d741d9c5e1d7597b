import Configuration
import OrderDomain
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

extension StoreTable<Bool> {
    /// Reads the stores whose cards show how near the courier is.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `couriers.distanceOnCards` | stores' ids, separated by commas, or `*` for every store | none | no |
    static func distanceOnCards(reading settings: ConfigReader) throws -> StoreTable<Bool> {
        guard let text = try settings.text("couriers.distanceOnCards") else { return StoreTable() }
        guard let stores = StoreTable(text, value: { $0 == nil ? true : nil }) else {
            throw ConfigurationError(
                key: "couriers.distanceOnCards", problem: "is no list of stores",
                fix: "write stores' ids, such as nordhavn, valby, or * for every store")
        }
        return stores
    }
}
