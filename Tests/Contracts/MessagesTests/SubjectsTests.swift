import Foundation
import Messages
import OrderDomain
import Testing

@Suite("Subjects, streams and durables")
struct SubjectsTests {
    let delivery: DeliveryID
    let customer: CustomerID

    init() throws {
        delivery = try #require(DeliveryID(rawValue: "0b9f8a52-9d6e-4a8e-9a55-3f1f1a2b3c4d"))
        customer = try #require(CustomerID(rawValue: String(repeating: "c", count: 64)))
    }

    @Test("Subjects are spelt as documented")
    func spelling() {
        #expect(Subject.deliveriesChanged == "orders.deliveries-changed.tracked")
        #expect(Subject.deliveriesChangedUnassigned == "orders.deliveries-changed.unassigned")
        #expect(Subject.intents(.courierETA) == "activities.intents.courier-eta")
        #expect(Subject.placesWanted == "positions.wanted")
    }

    @Test("Every subject is in one stream, and each consumer has its own")
    func consumers() {
        let published: [(StreamDefinition, subject: String, [ConsumerDefinition])] = [
            (.orders, Subject.deliveriesChanged, [.courierETADeliveries, .partnersDeliveries]),
            (.orders, Subject.deliveriesChangedUnassigned, [.partnersDeliveries]),
            (.couriers, Subject.estimatesChanged, [.ordersEstimates]),
            (.couriers, Subject.milestonesReached, [.ordersMilestones]),
            (.partners, Subject.providersReported, [.ordersReports]),
            (.partners, Subject.providerPositions, [.courierETAPositions]),
            (.activities, Subject.cardHealth, [.ordersCardHealth]),
            (.activities, Subject.intents(.orders), [.activityDispatchIntents]),
        ]
        for (stream, subject, consumers) in published {
            #expect(StreamDefinition.all.filter { $0.subjects.contains { Self.matches(subject, $0) } } == [stream])
            #expect(Set(ConsumerDefinition.all.filter { Self.matches(subject, $0.subject) }) == Set(consumers))
        }
    }

    @Test("What is published about deliveries wakes their readers, in no stream; the rest does not")
    func wakes() {
        let published = [
            Subject.deliveriesChanged, Subject.deliveriesChangedUnassigned, Subject.estimatesChanged,
            Subject.cardHealth,
        ]
        let wakes = published.map { Subject.wake(after: $0) }
        #expect(wakes == [.orders, .orders, .courierETA, .activityDispatch].map { Subject.wake($0) })
        for wake in wakes.compactMap(\.self) {
            #expect(Self.matches(wake, Subject.allWakes))
            #expect(!StreamDefinition.all.contains { $0.subjects.contains { Self.matches(wake, $0) } })
        }
        for other in [
            Subject.milestonesReached, Subject.cardsWanted, Subject.placesWanted, "", Subject.intents(.orders),
        ] { #expect(Subject.wake(after: other) == nil) }
    }

    @Test("Each durable has a legal name of its own, under 32 characters", arguments: ConsumerDefinition.all)
    func durables(consumer: ConsumerDefinition) {
        #expect(consumer.durable.count < 32 && consumer.durable.wholeMatch(of: /[a-z][a-z-]*[a-z]/) != nil)
        #expect(ConsumerDefinition.all.count { $0.durable == consumer.durable } == 1)
        #expect(consumer.stream.subjects.contains { Self.matches(Self.example(of: consumer.subject), $0) })
    }

    @Test("Stream names are upper case, and no two streams share a subject")
    func streams() {
        #expect(StreamDefinition.all.allSatisfy { $0.name.wholeMatch(of: /[A-Z]+/) != nil })
        let subjects = StreamDefinition.all.flatMap(\.subjects)
        #expect(Set(subjects).count == subjects.count)
    }

    @Test("A stream keeps a message for a day")
    func age() { #expect(StreamDefinition.maxAgeHours == 24) }

    @Test("An activity's id is safe in a subject, however long its customer's is")
    func activityIDs() {
        let summary = ActivityID(summaryOf: customer, episode: 999_999)
        #expect(ActivityID(rawValue: summary.rawValue) == summary)
        #expect(ActivityID(rawValue: ActivityID(delivery, episode: 1).rawValue) != nil)
        for bad in ["", "a.b", "a b", "a*", "a>", "å", String(repeating: "a", count: 97)] {
            #expect(ActivityID(rawValue: bad) == nil)
        }
    }

    /// Whether NATS would deliver a subject to a subscription: `*` is one word, `>` one or more at the end.
    private static func matches(_ subject: String, _ pattern: String) -> Bool {
        let words = subject.split(separator: ".", omittingEmptySubsequences: false)
        let wanted = pattern.split(separator: ".")
        if wanted.last == ">" {
            return words.count >= wanted.count && zip(words, wanted.dropLast()).allSatisfy { $1 == "*" || $0 == $1 }
        }
        return words.count == wanted.count && zip(words, wanted).allSatisfy { $1 == "*" || $0 == $1 }
    }

    private static func example(of pattern: String) -> String {
        pattern.replacing("*", with: "x").replacing(">", with: "x.y.z")
    }
}
