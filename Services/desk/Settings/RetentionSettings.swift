import Configuration
import ProcessSettings

extension RetentionTimes {
    /// Reads how long data of persons are kept.
    ///
    /// The least time is that for which ended deliveries are on the board.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `retention.triageDays` | whole number from 2 to 3,650; domain days after the last change | 30 | no |
    init(reading settings: ConfigReader) throws {
        triageDays = try settings.days("retention.triageDays", from: 2, default: triageDays)
    }
}
