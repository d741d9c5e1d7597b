import Configuration
import ProcessSettings

extension RetentionTimes {
    /// Reads how long data of persons are kept.
    ///
    /// The least time of cards and pushes is that of their totals, which are counted once more 26 hours after the day of the
    /// end, wherever that day is; late intents meet an ended activity for less, since streams keep them for a day, and
    /// a dead letter that is older is not retried. A device and a subscription stay while something of theirs is on its
    /// way, whatever their time.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `retention.pushesDays` | whole number from 4 to 3,650; domain days | 30 | no |
    /// | `retention.activitiesDays` | whole number from 4 to 3,650; domain days after the end | 14 | no |
    /// | `retention.devicesDays` | whole number from 7 to 3,650; domain days after the last registration | 90 | no |
    /// | `retention.deviceEventsDays` | whole number from 1 to 3,650; domain days after the card has left the screen | 1 | no |
    /// | `retention.totalsDays` | whole number from 4 to 3,650; domain days | 400 | no |
    /// | `retention.subscriptionsDays` | whole number from 7 to 3,650; domain days | 30 | no |
    init(reading settings: ConfigReader) throws {
        pushesDays = try settings.days("retention.pushesDays", from: 4, default: pushesDays)
        activitiesDays = try settings.days("retention.activitiesDays", from: 4, default: activitiesDays)
        devicesDays = try settings.days("retention.devicesDays", from: 7, default: devicesDays)
        deviceEventsDays = try settings.days("retention.deviceEventsDays", from: 1, default: deviceEventsDays)
        totalsDays = try settings.days("retention.totalsDays", from: 4, default: totalsDays)
        subscriptionsDays = try settings.days("retention.subscriptionsDays", from: 7, default: subscriptionsDays)
    }
}
