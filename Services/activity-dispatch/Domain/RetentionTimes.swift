/// Days for which this service keeps data of persons, one set for all stores.
struct RetentionTimes: Hashable, Sendable {
    /// The ledger of pushes, and overrides.
    var pushesDays = 30
    /// An ended activity with its cards: the tombstone that late intents meet.
    var activitiesDays = 14
    /// A device without a card since its last registration, and its last connection.
    var devicesDays = 90
    /// A device's events after the card's dismissal, and a browser's subscription after the end.
    var deviceEventsDays = 1
    /// Totals of cards, which have no persons.
    var totalsDays = 400
    /// A browser's subscription at most.
    var subscriptionsDays = 30
}
