import Configuration
import Logging
import Messages
import ProcessSettings
import TextCoding
import WebPages

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

extension ProofRules {
    /// Reads the proofs that stores require by default.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `proofs.required` | rules such as `nordhavn=pin; nordhavn/alcohol=age; */pharmacy=pin+signature` | none | no |
    init(reading settings: ConfigReader) throws {
        guard let rules = try ProofRules(settings.text("proofs.required") ?? "") else {
            throw ConfigurationError(
                key: "proofs.required", problem: "is no list of rules, or has one twice",
                fix: "write rules such as nordhavn=pin; */alcohol=age, of pin, photo, signature, age and barcode")
        }
        self = rules
    }
}

extension Orders {
    /// Reads the keys that seal customers' PINs, photos, signatures and archives.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `pins.keys.file` | path of lines `id:hex`, 32 bytes each, as of `activity-dispatch`; the highest id in use seals, every one opens | none: no order may require a PIN, no photo or signature is kept, and no data are exported | its content |
    static func proofKeys(reading settings: ConfigReader) throws -> SecretBox? {
        guard try settings.text("pins.keys.file") != nil else { return nil }
        return try SecretBox(reading: settings, keysOf: "pins.keys.file", rotation: "--pins")
    }
}

extension Orders {
    /// Reads whether drop-offs and couriers' numbers are sealed, and warns where they are not.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `persons.sealed` | truth; with the keys of `pins.keys.file`, once no version before 0.27 runs, which cannot read what is sealed | false | no |
    static func personalData(
        reading settings: ConfigReader, keys: SecretBox?, logger: Logger
    ) throws -> PersonalDataBox {
        let isSealed = try settings.truth("persons.sealed", default: false)
        guard !isSealed || keys != nil else {
            throw ConfigurationError(
                key: "persons.sealed", problem: "is true, and pins.keys.file is not set",
                fix: "set pins.keys.file to a file of doorstep admin keys --only-pin-keys --directory …")
        }
        if !isSealed {
            logger.warning(
                "Recipients, addresses, door codes and phone numbers are stored readable; set persons.sealed to true")
        }
        let retired = try keys == nil ? [] : settings.numberedKeys("pins.keys.file").retired
        let unreadable = UnreadableRows(logger: logger)
        return PersonalDataBox(keys, seals: isSealed, retired: retired) { unreadable.report($0) }
    }
}

extension Orders {
    /// Reads the keys that recognise the ids of erased customers.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `erasures.key.file` | path of lines `id:hex`, 32 bytes each; the highest id in use hashes the ids of erased customers | none: no customer can be erased | its content |
    static func erasureHash(reading settings: ConfigReader) throws -> KeyedHash? {
        guard try settings.text("erasures.key.file") != nil else { return nil }
        let keys = try settings.numberedKeys("erasures.key.file")
        if let short = keys.bytes.first(where: { $0.value.count != KeyedHash.keyBytes })?.key {
            throw ConfigurationError(wrongLengthOf: short, in: "erasures.key.file")
        }
        guard let current = keys.signing, let hash = KeyedHash(keys: keys.bytes, current: current) else {
            throw ConfigurationError(
                key: "erasures.key.file", problem: "holds no key",
                fix: "make one with: doorstep admin keys --directory …")
        }
        return hash
    }
}

extension ImageVisibility {
    /// Reads the stores whose customers see the photos and signatures of their hand-overs.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `proofs.shownToCustomers` | stores' ids, separated by commas, or `*` for every store | none | no |
    init(reading settings: ConfigReader) throws {
        guard let text = try settings.text("proofs.shownToCustomers") else {
            self.init()
            return
        }
        guard let visibility = ImageVisibility(text) else {
            throw ConfigurationError(
                key: "proofs.shownToCustomers", problem: "is no list of stores",
                fix: "write stores' ids, such as nordhavn, valby, or * for every store")
        }
        self = visibility
    }
}

extension CourierVisibility {
    /// Reads the stores whose customers see on a map where their courier is.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `couriers.shownToCustomers` | stores' ids, separated by commas, or `*` for every store; each with `:` and the number of other stops before the customer's own, such as `nordhavn:2` | none; without a number 0 | no |
    /// | `couriers.shownToForwarded` | of these, the stores whose forwarded view links show it too, or `*` | none | no |
    init(reading settings: ConfigReader) throws {
        let forwarded = try settings.text("couriers.shownToForwarded")
        guard let customers = try settings.text("couriers.shownToCustomers") else {
            guard forwarded == nil else {
                throw ConfigurationError(
                    key: "couriers.shownToForwarded", problem: "is set, and couriers.shownToCustomers is not",
                    fix: "set couriers.shownToCustomers too")
            }
            self.init()
            return
        }
        guard CourierVisibility(customers: customers) != nil else {
            throw ConfigurationError(
                key: "couriers.shownToCustomers", problem: "is no list of stores",
                fix: "write stores' ids, such as nordhavn, valby:2 (0 to 20 stops), or * for every store")
        }
        guard let visibility = CourierVisibility(customers: customers, forwarded: forwarded) else {
            throw ConfigurationError(
                key: "couriers.shownToForwarded", problem: "is no list of stores",
                fix: "write stores' ids, such as nordhavn, valby, or * for every store")
        }
        self = visibility
    }
}

extension Orders {
    /// Reads the images beneath customers' maps.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `orders.tiles.file` | path of map images, a PMTiles file that the service serves itself | – | no |
    /// | `orders.tiles.url` | URL of a tile server's images with `{z}`, `{x}` and `{y}`; its operator sees the viewed areas | – | no |
    /// | `orders.tiles.attribution` | who made the tiles; required with `orders.tiles.url`, else the file's own | – | no |
    static func mapImages(reading settings: ConfigReader) throws -> MapImages {
        try MapImages(reading: settings, keys: "orders.tiles", path: "/assets/tiles")
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
