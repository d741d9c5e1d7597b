/// Days for which this service keeps data of persons, one set for all stores.
struct RetentionTimes: Hashable, Sendable {
    /// Domain days after a delivery's end: its recipient, address and note, for questions about it.
    var dropOffDays = 30
    /// Domain days after a delivery's end: its photos and signatures.
    var imagesDays = 30
    /// Domain days after its last change: an order with its ended deliveries.
    var ordersDays = 90
    /// Domain days after their last delivery: a courier's name and number, and the number of their links.
    var couriersDays = 90
    /// Wall days: timelines and pressed links; a day in numbers is answered for as long.
    var timelineDays = 30
    /// Wall days: answers to idempotency keys.
    var answersDays = 2
}
