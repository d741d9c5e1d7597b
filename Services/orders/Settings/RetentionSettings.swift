import Configuration
import ProcessSettings

extension RetentionTimes {
    /// Reads how long data of persons are kept.
    ///
    /// The least time of an order and of timelines is that of late reports and of the resync of deliveries that were
    /// placed long before; that of drop-offs and images is that of the board, which has ended deliveries for two days.
    /// An order goes with everything of its own, so none of that has a longer time.
    ///
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `retention.dropOffDays` | whole number from 2 to 3,650; domain days after the end | 30 | no |
    /// | `retention.imagesDays` | whole number from 2 to 3,650; domain days after the end | 30 | no |
    /// | `retention.ordersDays` | whole number from 14 to 3,650; domain days after the last change | 90 | no |
    /// | `retention.couriersDays` | whole number from 2 to 3,650; domain days after the last delivery | 90 | no |
    /// | `retention.timelineDays` | whole number from 14 to 3,650; days | 30 | no |
    /// | `retention.answersDays` | whole number from 2 to 3,650; days | 2 | no |
    init(reading settings: ConfigReader) throws {
        dropOffDays = try settings.days("retention.dropOffDays", from: 2, default: dropOffDays)
        imagesDays = try settings.days("retention.imagesDays", from: 2, default: imagesDays)
        ordersDays = try settings.days("retention.ordersDays", from: 14, default: ordersDays)
        couriersDays = try settings.days("retention.couriersDays", from: 2, default: couriersDays)
        timelineDays = try settings.days("retention.timelineDays", from: 14, default: timelineDays)
        answersDays = try settings.days("retention.answersDays", from: 2, default: answersDays)
        let ofOrders = [
            ("dropOffDays", dropOffDays), ("imagesDays", imagesDays), ("timelineDays", timelineDays),
            ("answersDays", answersDays),
        ]
        for (name, days) in ofOrders where days > ordersDays {
            throw ConfigurationError(
                key: "retention.\(name)",
                problem: "is \(days), more than the \(ordersDays) of retention.ordersDays, with which it ends",
                fix: "set retention.\(name) to \(ordersDays) or less, or retention.ordersDays to \(days) or more")
        }
    }
}
