import Testing

@testable import ReliableMessaging

@Suite("Subject filter")
struct SubjectFilterTests {
    @Test(
        "A subject matches the filters that the broker would give it to",
        arguments: [
            ("orders.delivery-changed.*", "orders.delivery-changed.7", true),
            ("orders.delivery-changed.*", "orders.delivery-changed.7.8", false),
            ("orders.delivery-changed.*", "orders.delivery-changed", false),
            ("orders.delivery-changed.*", "orders.delivery-removed.7", false),
            ("activities.intent.>", "activities.intent.orders.7", true),
            ("activities.intent.>", "activities.intent", false),
            ("activities.intent.>", "activities.card-health.7", false),
            ("orders.one", "orders.one", true), ("orders.one", "orders.two", false), (">", "anything.at.all", true),
        ])
    func matches(filter: String, subject: String, isMatch: Bool) {
        #expect(SubjectFilter(filter).matches(subject) == isMatch)
    }
}
