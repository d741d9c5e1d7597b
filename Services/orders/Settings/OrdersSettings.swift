import Configuration
import ProcessSettings

extension OrderLimits {
    /// Reads the limits of an order.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `deliveries.customerMax` | whole number; live deliveries of one customer | 60 | no |
    /// | `deliveries.reachMetresMax` | whole number; metres from a store to a door, as the crow flies | 100,000 | no |
    /// | `deliveries.promiseGraceSeconds` | whole number; domain seconds since the end of a promise | 7,200 | no |
    init(reading settings: ConfigReader) throws {
        customerDeliveriesMax = try settings.integer(
            "deliveries.customerMax", in: 10...100_000, default: customerDeliveriesMax)
        reachMetresMax = try settings.integer(
            "deliveries.reachMetresMax", in: 100...20_100_000, default: reachMetresMax)
        promiseGraceSeconds = try settings.integer(
            "deliveries.promiseGraceSeconds", in: 0...31_622_400, default: promiseGraceSeconds)
    }
}

extension CourierPages {
    /// Reads the origin to which couriers' pages send positions.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `couriers.origin` | the origin of courier-eta for browsers, such as `https://couriers.example.com`; without it pages share no positions | – | no |
    static func positionsOrigin(reading settings: ConfigReader) throws -> String? {
        try settings.origin("couriers.origin", example: "https://couriers.example.com")
    }
}

extension LinkSigner {
    /// Reads the origin of links and the keys that sign them.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `links.origin` | the part before `/l/` in a link | required | no |
    /// | `links.keys.file` | path of lines `id:hex`, 32 bytes or more each; the highest id in use signs | required | its content |
    init(reading settings: ConfigReader) throws {
        let origin = try settings.requiredText("links.origin", example: "https://go.nordhavn.example")
        let keys = try settings.numberedKeys("links.keys.file")
        do {
            try self.init(origin: origin, keys: keys.bytes, signing: keys.signing)
        } catch {
            throw ConfigurationError(error)
        }
    }
}

extension ConfigurationError {
    fileprivate init(_ error: LinkKeyError) {
        switch error {
        case .noKeys:
            self.init(key: "links.keys.file", problem: "holds no key", fix: "add a line id:hex with 32 random bytes")
        case .noneInUse: self.init(noneInUse: "links.keys.file", rotation: "--links")
        case .tooShort(let id):
            self.init(
                key: "links.keys.file", problem: "has key \(id) with fewer than 32 bytes", fix: "make a longer one")
        case .originTooLong(let origin):
            self.init(key: "links.origin", problem: "is too long (\(origin))", fix: "use at most 42 characters")
        }
    }
}

extension CustomerPacer {
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `deliveries.customerChangesPerSecond` | number; changes of a customer's deliveries that are answered without a delay | 20 | no |
    convenience init(reading settings: ConfigReader) throws {
        self.init(
            changesPerSecond: try settings.positiveNumber("deliveries.customerChangesPerSecond", default: 20))
    }
}
