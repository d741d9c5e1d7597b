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

    @Test("Subjects are spelt as documented; those of the former version have the id last")
    func spelling() {
        #expect(Subject.deliveriesChanged == "orders.deliveries-changed.tracked")
        #expect(Subject.deliveriesChangedUnassigned == "orders.deliveries-changed.unassigned")
        #expect(Subject.intents(.courierETA) == "activities.intents.courier-eta")
        #expect(Subject.placesWanted == "positions.wanted")
        let id = "0b9f8a52-9d6e-4a8e-9a55-3f1f1a2b3c4d"
        #expect(FormerSubject.deliveryChanged(delivery) == "orders.delivery-changed.\(id)")
        #expect(FormerSubject.deliveryChangedUnassigned(delivery) == "orders.delivery-changed.\(id).unassigned")
        #expect(FormerSubject.estimateChanged(delivery) == "couriers.estimate-changed.\(id)")
        #expect(FormerSubject.milestoneReached(delivery) == "couriers.milestone-reached.\(id)")
        #expect(FormerSubject.providerReported(delivery) == "partners.report.\(id)")
        #expect(FormerSubject.providerPosition(delivery) == "partners.position.\(id)")
        #expect(FormerSubject.cardHealth(delivery) == "activities.card-health.\(id)")
        let activity = ActivityID(delivery, episode: 2)
        #expect(
            FormerSubject.intent(.courierETA, customer, activity)
                == "activities.intent.courier-eta.\(customer).\(id)-2")
    }

    @Test("Every subject is in one stream, and each consumer has its own, in this form and the former")
    func consumers() {
        let activity = ActivityID(delivery, episode: 1)
        let published: [(StreamDefinition, now: String, former: String, [ConsumerDefinition])] = [
            (
                .orders, Subject.deliveriesChanged, FormerSubject.deliveryChanged(delivery),
                [.courierETADeliveries, .partnersDeliveries]
            ),
            (
                .orders, Subject.deliveriesChangedUnassigned, FormerSubject.deliveryChangedUnassigned(delivery),
                [.partnersDeliveries]
            ),
            (.couriers, Subject.estimatesChanged, FormerSubject.estimateChanged(delivery), [.ordersEstimates]),
            (.couriers, Subject.milestonesReached, FormerSubject.milestoneReached(delivery), [.ordersMilestones]),
            (.partners, Subject.providersReported, FormerSubject.providerReported(delivery), [.ordersReports]),
            (.partners, Subject.providerPositions, FormerSubject.providerPosition(delivery), [.courierETAPositions]),
            (.activities, Subject.cardHealth, FormerSubject.cardHealth(delivery), [.ordersCardHealth]),
            (
                .activities, Subject.intents(.orders), FormerSubject.intent(.orders, customer, activity),
                [.activityDispatchIntents]
            ),
        ]
        for (stream, now, former, consumers) in published {
            for subject in [now, former] {
                #expect(StreamDefinition.all.filter { $0.subjects.contains { Self.matches(subject, $0) } } == [stream])
            }
            #expect(Set(ConsumerDefinition.all.filter { Self.matches(now, $0.subject) }) == Set(consumers))
            #expect(
                Set(ConsumerDefinition.all.filter { Self.matches(former, $0.subject) })
                    == Set(consumers.compactMap(\.former)))
        }
    }

    @Test("Each consumer keeps the durable of the former version beside its own, which has none itself")
    func formers() {
        let formers = [
            "orders-milestones": "couriers.milestone-reached.*", "orders-estimates": "couriers.estimate-changed.*",
            "orders-card-health": "activities.card-health.*", "orders-reports": "partners.report.*",
            "courier-eta": "orders.delivery-changed.*", "courier-eta-positions": "partners.position.*",
            "partners": "orders.delivery-changed.>", "activity-dispatch": "activities.intent.>",
        ]
        let kept = ConsumerDefinition.all.compactMap(\.former)
        #expect(Dictionary(uniqueKeysWithValues: kept.map { ($0.durable, $0.subject) }) == formers)
        #expect(kept.allSatisfy { $0.former == nil } && ConsumerDefinition.all.count == 2 * formers.count)
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
            Subject.milestonesReached, Subject.cardsWanted, Subject.placesWanted,
            FormerSubject.deliveryChanged(delivery), "",
            Subject.intents(.orders),
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
