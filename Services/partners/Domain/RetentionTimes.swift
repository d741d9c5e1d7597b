/// Days for which this service keeps data of persons, one set for all stores.
struct RetentionTimes: Hashable, Sendable {
    /// Providers' webhooks as they came.
    var receiptsDays = 30
    /// Events with the log of their attempts.
    var eventsDays = 30

    /// Deliveries, and providers' names of them: late reports and events come by them.
    var deliveriesDays: Int { max(receiptsDays, eventsDays) }
}
