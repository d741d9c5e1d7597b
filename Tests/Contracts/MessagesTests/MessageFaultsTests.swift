import Foundation
import LiveActivity
import Messages
import OrderDomain
import Testing
import WireCoding

@Suite("Faults of messages")
struct MessageFaultsTests {
    let sample: Sample

    init() throws { sample = try Sample() }

    func intent(
        writer: Writer = .orders, activity: ActivityID? = nil, endedAt: Int? = nil,
        dismissal: Dismissal = .after(seconds: 900)
    ) throws -> Intent {
        let delivery = sample.delivery
        let id = activity ?? ActivityID(delivery.id, episode: delivery.episode)
        var step = ActivityStep.after(DeliverySnapshot(delivery, links: sample.links), arrival: nil, step: 0)
        if let endedAt {
            step = .ended(
                EndedActivity(
                    attributes: step.attributes, content: step.content, endedAt: endedAt, dismissal: dismissal,
                    alert: nil))
        }
        return Intent(
            activity: id, customer: delivery.customer, delivery: delivery.id, store: delivery.store.id, writer: writer,
            step: step)
    }

    func subject(of intent: Intent) -> String { Subject.intents(intent.writer) }

    @Test("Messages as our writers send them have none")
    func none() throws {
        let delivery = sample.delivery
        let change = DeliveryChanged(delivery: delivery, links: sample.links, cause: "status", changedAt: sample.at)
        #expect(change.fault(on: Subject.deliveriesChanged) == nil)
        let intent = try intent()
        #expect(intent.fault(on: subject(of: intent)) == nil)
        let ended = try self.intent(endedAt: 1_795_280_400)
        #expect(ended.fault(on: subject(of: ended)) == nil)
    }

    @Test("A time, a dismissal or a revision that no sum of ours can take is one")
    func outOfRange() throws {
        for endedAt in [Int.max, .min, -1] {
            let intent = try intent(endedAt: endedAt)
            #expect(intent.fault(on: subject(of: intent)) == "a time is out of range")
        }
        for seconds in [Int.max, -1, Dismissal.keptSecondsMax + 1] {
            let intent = try intent(endedAt: 1_795_280_400, dismissal: .after(seconds: seconds))
            #expect(intent.fault(on: subject(of: intent)) == "the dismissal is out of range")
        }
        for change in [
            ["version": Int.max], ["assignmentEpoch": .max], ["stopsBefore": .min], ["episode": -1],
        ] {
            let message = DeliveryChanged(
                delivery: try changed(change), links: [], cause: "status", changedAt: sample.at)
            #expect(
                message.fault(on: Subject.deliveriesChanged) == "a counter is out of range",
                "\(change)")
        }
        for key in ["steppedBackAt", "dropOffCorrectedAt"] {
            for (time, fault) in [
                ("1969-12-31T23:59:59Z", "a time is out of range"), ("2026-11-21T18:24:00Z", nil),
            ] as [(String, String?)] {
                let message = DeliveryChanged(
                    delivery: try changed([key: time]), links: [], cause: "status", changedAt: sample.at)
                #expect(message.fault(on: Subject.deliveriesChanged) == fault, "\(key)")
            }
        }
    }

    @Test("Quantities that cannot be added up are one")
    func quantities() throws {
        var object = try #require(
            try JSONSerialization.jsonObject(with: WireJSON.encode(sample.delivery)) as? [String: Any])
        let items = try #require(object["items"] as? [[String: Any]])
        object["items"] = items.map { $0.merging(["quantity": Int.max]) { $1 } }
        let delivery = try WireJSON.decode(Delivery.self, from: JSONSerialization.data(withJSONObject: object))
        let message = DeliveryChanged(delivery: delivery, links: [], cause: "status", changedAt: sample.at)
        #expect(message.fault(on: Subject.deliveriesChanged) == "a quantity is out of range")
    }

    @Test("An intent on the subject of another writer is one")
    func subjects() throws {
        let intent = try intent()
        for subject in [Subject.intents(.courierETA), "\(Subject.intents(.orders)).x", "activities.intents"] {
            #expect(intent.fault(on: subject) == "the subject is of another writer")
        }
        let borrowed = try self.intent(activity: ActivityID(DeliveryID(UUID()), episode: 1))
        #expect(borrowed.fault(on: subject(of: borrowed)) == "the activity is of another delivery")
        let summary = try self.intent(writer: .activityDispatch)
        #expect(summary.fault(on: subject(of: summary)) == "summaries are written by this service alone")
    }

    @Test("The outline of a change is read from the whole, and is checked as far as it goes")
    func outline() throws {
        var delivery = sample.delivery
        _ = try delivery.apply(.override(.delivered, reason: "test"), at: sample.at)
        let change = DeliveryChanged(delivery: delivery, links: sample.links, cause: "status", changedAt: sample.at)
        func outline(_ change: DeliveryChanged) throws -> DeliveryChangedOutline {
            try WireJSON.decode(DeliveryChangedOutline.self, from: WireJSON.encode(change))
        }
        let read = try outline(change)
        #expect(read.delivery == DeliveryOutline(delivery) && read.delivery.endedAt != nil)
        #expect(read.fault(on: Subject.deliveriesChanged) == nil)
        #expect(read.fault(on: Subject.estimatesChanged) == "the subject is of other messages")
        for value in [["version": Int.max], ["episode": -1]] {
            let message = DeliveryChanged(
                delivery: try changed(value), links: [], cause: "status", changedAt: sample.at)
            #expect(try outline(message).fault(on: Subject.deliveriesChanged) == "a counter is out of range")
        }
    }

    @Test("A message on the subject of others is one")
    func otherMessages() throws {
        let id = sample.delivery.id
        let milestone = MilestoneReached(delivery: id, milestone: .late, assignmentEpoch: 1, at: sample.at)
        #expect(milestone.fault(on: Subject.milestonesReached) == nil)
        #expect(milestone.fault(on: Subject.estimatesChanged) != nil)
        let distant = MilestoneReached(
            delivery: id, milestone: .late, assignmentEpoch: 1, at: sample.at,
            promiseEnd: Date(timeIntervalSince1970: 1e13))
        #expect(distant.fault(on: Subject.milestonesReached) == "a time is out of range")
        func reported(id key: String = "1", at: Date) throws -> ProviderReported {
            ProviderReported(
                delivery: id,
                report: ProviderReport(
                    source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: key, kind: "x",
                    status: nil, occurredAt: at, receivedAt: sample.at))
        }
        #expect(try reported(at: sample.at).fault(on: Subject.providersReported) == nil)
        #expect(try reported(at: sample.at).fault(on: Subject.providerPositions) != nil)
        #expect(try reported(at: Date(timeIntervalSince1970: 1e13)).fault(on: Subject.providersReported) != nil)
        let long = String(repeating: "k", count: 129)
        #expect(try reported(id: long, at: sample.at).fault(on: Subject.providersReported) != nil)
        let health = CardHealthChanged(delivery: id, sequence: 1, cards: 1, behind: 0, reason: nil)
        #expect(health.fault(on: Subject.cardHealth) == nil)
        #expect(health.fault(on: Subject.intents(.orders)) != nil)
        let change = DeliveryChanged(delivery: sample.delivery, links: [], cause: "status", changedAt: sample.at)
        for subject in [Subject.deliveriesChanged, Subject.deliveriesChangedUnassigned] {
            #expect(change.fault(on: subject) == nil)
        }
        #expect(change.fault(on: Subject.milestonesReached) != nil)
    }

    private func changed(_ values: [String: Any]) throws -> Delivery {
        var object = try #require(
            try JSONSerialization.jsonObject(with: WireJSON.encode(sample.delivery)) as? [String: Any])
        for (key, value) in values { object[key] = value }
        return try WireJSON.decode(Delivery.self, from: JSONSerialization.data(withJSONObject: object))
    }

    @Test("A digest that no writer of ours sends is not compared")
    func digests() {
        func fault(_ id: String, version: Int = 1, step: Int = 0, count: Int = 1) -> String? {
            let revision = PublishedRevision(id: id, version: version, step: step)
            return RevisionDigest(Array(repeating: revision, count: count)).fault
        }
        #expect(fault("a") == nil && fault(String(repeating: "a", count: 128), count: 2_000) == nil)
        #expect(fault("") != nil && fault(String(repeating: "a", count: 129)) != nil && fault("a\u{0}") != nil)
        #expect(fault("a", version: -1) != nil && fault("a", version: 1_000_000_001) != nil)
        #expect(fault("a", step: -1) != nil && fault("a", count: 2_001) != nil)
    }
}
