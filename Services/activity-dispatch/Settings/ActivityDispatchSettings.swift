import Configuration
import FlowControl
import Messages
import ProcessSettings
import TextCoding

extension RegisterDevice {
    /// The limit of a customer's devices.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `devices.customerMax` | whole number; devices of one customer | 20 | no |
    static func devicesPerCustomerMax(reading settings: ConfigReader) throws -> Int {
        try settings.integer("devices.customerMax", in: 1...1000, default: 20)
    }
}

extension Limits {
    /// The limits of the device stream.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `cards.deviceMax` | whole number; Doorstep's cards on one device | 5 | no |
    init(reading settings: ConfigReader) throws {
        self = .stream
        cardsPerDeviceMax = try settings.integer("cards.deviceMax", in: 1...50, default: cardsPerDeviceMax)
    }

    /// The limits of pushes through Apple.
    ///
    /// Apple publishes no budgets: the defaults are what apps observe in the field.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `cards.deviceMax` | whole number; Doorstep's cards on one device | 5 | no |
    /// | `budgets.cardHour` | whole number; pushes of priority 10 to one card in an hour | 15 | no |
    /// | `budgets.cardHourInfrequent` | the same with frequent updates switched off | 4 | no |
    /// | `budgets.deviceHour` | whole number; pushes of priority 10 to one device in an hour | 30 | no |
    /// | `budgets.deviceHourInfrequent` | the same with frequent updates switched off | 6 | no |
    /// | `budgets.starts` | whole number; starts on one device at once | 8 | no |
    /// | `budgets.startInterval` | whole number; seconds until one more start | 1800 | no |
    static func apns(reading settings: ConfigReader) throws -> Limits {
        func hourly(_ key: String, default count: Int) throws -> TokenBucket.Size {
            let count = try settings.integer(key, in: 1...3600, default: count)
            return TokenBucket.Size(capacity: Double(count), secondsPerToken: 3600 / Double(count))
        }
        var limits = Limits.apns
        limits.cardsPerDeviceMax = try settings.integer(
            "cards.deviceMax", in: 1...50, default: limits.cardsPerDeviceMax)
        limits.urgentPushes = try hourly("budgets.cardHour", default: 15)
        limits.infrequentUrgentPushes = try hourly("budgets.cardHourInfrequent", default: 4)
        limits.deviceUrgentPushes = try hourly("budgets.deviceHour", default: 30)
        limits.infrequentDeviceUrgentPushes = try hourly("budgets.deviceHourInfrequent", default: 6)
        limits.starts = TokenBucket.Size(
            capacity: Double(try settings.integer("budgets.starts", in: 1...100, default: 8)),
            secondsPerToken: Double(try settings.integer("budgets.startInterval", in: 1...86_400, default: 1800)))
        return limits
    }
}

extension ActivityDispatch {
    /// The origin of the links that cards may carry.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `links.origin` | as of `orders`; a button with another link is dropped | none: links are not checked | no |
    static func linkOrigin(reading settings: ConfigReader) throws -> String? { try settings.text("links.origin") }
}

extension ActivityDispatch {
    /// Reads the keys that open customers' PINs, on their way to phones.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `pins.keys.file` | path of lines `id:hex`, 32 bytes each, as of `orders` | none: cards show no PIN | its content |
    static func pinBox(reading settings: ConfigReader) throws -> PINBox? {
        guard try settings.text("pins.keys.file") != nil else { return nil }
        return PINBox(try SecretBox(reading: settings, keysOf: "pins.keys.file", rotation: "--pins"))
    }
}
