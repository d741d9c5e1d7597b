import Configuration
import ProcessSettings

extension RetentionTimes {
    /// Reads how long data of persons are kept.
    ///
    /// The least time of a receipt is that of a provider's repeats; that of an event is longer than its attempts, and than
    /// the five days after which an endpoint is disabled.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `retention.receiptsDays` | whole number from 7 to 3,650; domain days | 30 | no |
    /// | `retention.eventsDays` | whole number from 7 to 3,650; domain days | 30 | no |
    init(reading settings: ConfigReader) throws {
        receiptsDays = try settings.days("retention.receiptsDays", from: 7, default: receiptsDays)
        eventsDays = try settings.days("retention.eventsDays", from: 7, default: eventsDays)
    }
}
