import Configuration
import ProcessSettings

extension RetentionTimes {
    /// Reads how long data of persons are kept.
    ///
    /// The least time of an ended delivery is that for which an operator's request republishes its end; late messages
    /// meet it for less, since streams keep them for a day, and a dead letter that is older is not retried. That of
    /// positions is until the legs of their delivery are summarized.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `retention.estimatesDays` | whole number from 3 to 3,650; domain days after the end | 14 | no |
    /// | `retention.fixesDays` | whole number from 2 to 3,650; domain days | 7 | no |
    /// | `retention.phonesDays` | whole number from 1 to 3,650; domain days after they were revoked | 30 | no |
    /// | `retention.seenCouriersDays` | whole number from 2 to 3,650; domain days after the last position | 90 | no |
    /// | `retention.ridesDays` | whole number from 1 to 3,650; domain days | 90 | no |
    init(reading settings: ConfigReader) throws {
        estimatesDays = try settings.days("retention.estimatesDays", from: 3, default: estimatesDays)
        fixesDays = try settings.days("retention.fixesDays", from: 2, default: fixesDays)
        phonesDays = try settings.days("retention.phonesDays", from: 1, default: phonesDays)
        seenCouriersDays = try settings.days("retention.seenCouriersDays", from: 2, default: seenCouriersDays)
        ridesDays = try settings.days("retention.ridesDays", from: 1, default: ridesDays)
    }
}
