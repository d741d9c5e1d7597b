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

    @Test("Subjects are spelt as documented, the id last")
    func spelling() {
        let id = "0b9f8a52-9d6e-4a8e-9a55-3f1f1a2b3c4d"
        #expect(Subject.deliveryChanged(delivery) == "orders.delivery-changed.\(id)")
        #expect(Subject.deliveryChangedUnassigned(delivery) == "orders.delivery-changed.\(id).unassigned")
        #expect(Subject.estimateChanged(delivery) == "couriers.estimate-changed.\(id)")
        #expect(Subject.milestoneReached(delivery) == "couriers.milestone-reached.\(id)")
        #expect(Subject.cardHealth(delivery) == "activities.card-health.\(id)")
        let activity = ActivityID(delivery, episode: 2)
        #expect(
            Subject.intent(.courierETA, customer, activity)
                == "activities.intent.courier-eta.\(customer).\(id)-2")
    }

    @Test("Every subject matches its wildcard and its stream, and no other")
    func wildcards() {
        let published = [
            (Subject.deliveryChanged(delivery), Subject.allDeliveryChanged, StreamDefinition.orders),
            (Subject.estimateChanged(delivery), Subject.allEstimateChanged, .couriers),
            (Subject.milestoneReached(delivery), Subject.allMilestoneReached, .couriers),
            (Subject.providerReported(delivery), Subject.allProviderReported, .partners),
            (Subject.cardHealth(delivery), Subject.allCardHealth, .activities),
            (Subject.intent(.orders, customer, ActivityID(delivery, episode: 1)), Subject.allIntents, .activities),
            (
                Subject.intent(.activityDispatch, customer, ActivityID(summaryOf: customer, episode: 3)),
                Subject.allIntents, .activities
            ),
        ]
        for (subject, wildcard, stream) in published {
            let wildcards = Set(published.map(\.1)).filter { Self.matches(subject, $0) }
            let streams = StreamDefinition.all.filter { $0.subjects.contains { Self.matches(subject, $0) } }
            #expect(wildcards == [wildcard] && streams == [stream])
        }
    }

    @Test("A customer's intents are those of every writer and activity, and no other customer's")
    func intentsOfCustomer() throws {
        let other = try #require(CustomerID(rawValue: "other"))
        for writer in [Writer.orders, .courierETA, .activityDispatch] {
            for activity in [ActivityID(delivery, episode: 2), ActivityID(summaryOf: customer, episode: 1)] {
                #expect(Self.matches(Subject.intent(writer, customer, activity), Subject.intents(of: customer)))
                #expect(!Self.matches(Subject.intent(writer, other, activity), Subject.intents(of: customer)))
            }
        }
    }

    @Test("What is published about a delivery wakes its readers by the delivery alone, in no stream; the rest does not")
    func wakes() {
        let published = [
            Subject.deliveryChanged(delivery), Subject.deliveryChangedUnassigned(delivery),
            Subject.estimateChanged(delivery), Subject.cardHealth(delivery),
        ]
        let wakes = published.map { Subject.wake(after: $0) }
        #expect(wakes == [.orders, .orders, .courierETA, .activityDispatch].map { Subject.wake($0, delivery) })
        for wake in wakes.compactMap(\.self) {
            #expect(Subject.wokenDelivery(wake) == delivery && Self.matches(wake, Subject.allWakes))
            #expect(!StreamDefinition.all.contains { $0.subjects.contains { Self.matches(wake, $0) } })
        }
        for other in [
            Subject.milestoneReached(delivery), Subject.cardsWanted, "orders.delivery-changed.x", "",
            Subject.intent(.orders, customer, ActivityID(delivery, episode: 1)),
        ] { #expect(Subject.wake(after: other) == nil && Subject.wokenDelivery(other) == nil) }
    }

    @Test("What waits for its first courier is kept with the other changes, and read by who tells of every one")
    func unassigned() {
        let subject = Subject.deliveryChangedUnassigned(delivery)
        #expect(StreamDefinition.orders.subjects.contains { Self.matches(subject, $0) })
        #expect(ConsumerDefinition.all.filter { Self.matches(subject, $0.subject) } == [.partnersDeliveries])
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
