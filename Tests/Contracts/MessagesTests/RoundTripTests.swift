import Foundation
import LiveActivity
import Messages
import OrderDomain
import Testing
import WireCoding

@Suite("Messages on the wire")
struct RoundTripTests {
    let sample: Sample

    init() throws { sample = try Sample() }

    @Test("A changed delivery comes back whole")
    func deliveryChanged() throws {
        try check(
            DeliveryChanged(delivery: sample.delivery, links: sample.links, cause: "status", changedAt: sample.at),
            schema: DeliveryChanged.schema)
    }

    @Test("A delivery in any status comes back whole", arguments: DeliveryStatus.all)
    func everyStatus(status: DeliveryStatus) throws {
        let delivery = try sample.delivery(in: status, flags: Set(Flag.allCases))
        #expect(delivery.status == status && delivery.flags == Set(Flag.allCases))
        try check(
            DeliveryChanged(delivery: delivery, links: [], cause: "republished", changedAt: sample.at),
            schema: DeliveryChanged.schema)
    }

    @Test("Around a delivery that is encoded already the same bytes are made", arguments: DeliveryStatus.all)
    func aroundSnapshot(status: DeliveryStatus) throws {
        let delivery = try sample.delivery(in: status, flags: Set(Flag.allCases))
        for links in [[], sample.links] {
            let whole = DeliveryChanged(delivery: delivery, links: links, cause: "say \"hej\"", changedAt: sample.at)
            let around = try DeliveryChanged.encoded(
                around: WireJSON.encode(delivery), links: links, cause: whole.cause, changedAt: sample.at)
            #expect(
                String(decoding: around, as: UTF8.self) == String(decoding: try WireJSON.encode(whole), as: UTF8.self))
        }
    }

    @Test("A digest and its answer come back whole")
    func digests() throws {
        try check(
            RevisionDigest([
                PublishedRevision(id: "a", version: 3),
                PublishedRevision(id: "b", isEnded: true, version: 7, step: 2, isProlonged: true),
            ]), schema: RevisionDigest.schema)
        try check(LackingRevisions(places: [0, 1]), schema: LackingRevisions.schema)
        try check(LackingRevisions(places: [], fault: "it is no digest"), schema: LackingRevisions.schema)
    }

    @Test("An estimate comes back whole, with and without a fix")
    func estimateChanged() throws {
        let courier = try #require(sample.delivery.courier?.id)
        for lastFixAt in [nil, sample.at - 5] {
            try check(
                EstimateChanged(
                    delivery: sample.delivery.id, version: 7, step: 3,
                    estimate: Estimate(
                        arrivesAt: sample.at + 1600, earliest: sample.at + 1440, latest: sample.at + 1860,
                        madeAt: sample.at),
                    courier: courier, lastFixAt: lastFixAt,
                    errors: lastFixAt.map { _ in [.init(horizon: "10m", seconds: -12.5)] }),
                schema: EstimateChanged.schema)
        }
    }

    @Test("Every milestone comes back whole", arguments: Milestone.allCases)
    func milestone(milestone: Milestone) throws {
        let details: [(Coordinate?, Date?)] = [(nil, nil), (sample.delivery.door, sample.delivery.promise.end)]
        for (door, end) in details {
            try check(
                MilestoneReached(
                    delivery: sample.delivery.id, milestone: milestone, assignmentEpoch: 2, at: sample.at, door: door,
                    promiseEnd: end),
                schema: MilestoneReached.schema)
        }
    }

    @Test("A provider's report comes back whole")
    func report() throws {
        let courier = Courier(
            id: try #require(CourierID(rawValue: "uber-1")), name: "Sam", vehicle: .car, phone: "+14155550123")
        for status in [StatusCode.pickedUp, nil] {
            let report = ProviderReport(
                source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: "evt_1",
                kind: "event.delivery_status", status: status, courier: status.map { _ in courier },
                occurredAt: status.map { _ in sample.at }, receivedAt: sample.at, reason: "why", isLate: status == nil)
            try check(
                ProviderReported(delivery: sample.delivery.id, report: report), schema: ProviderReported.schema)
        }
    }

    @Test("Cards' health comes back whole")
    func cardHealth() throws {
        try check(
            CardHealthChanged(delivery: sample.delivery.id, sequence: 9, cards: 2, behind: 1, reason: "budget"),
            schema: CardHealthChanged.schema)
        try check(
            CardHealthChanged(delivery: sample.delivery.id, sequence: 10, cards: 2, behind: 0, reason: nil),
            schema: CardHealthChanged.schema)
    }

    @Test("An intent comes back whole, live and ended", arguments: Writer.allCases)
    func intent(writer: Writer) throws {
        for status in [DeliveryStatus.preparing(.picking, .toStore), .handedOver(.arriving), .handedOver(.delivered)] {
            let delivery = try sample.delivery(in: status, flags: [])
            let step = ActivityStep.after(DeliverySnapshot(delivery, links: sample.links), arrival: nil, step: 0)
            try check(
                Intent(
                    activity: ActivityID(delivery.id, episode: 1), customer: delivery.customer, delivery: delivery.id,
                    writer: writer, step: step),
                schema: Intent.schema)
        }
    }

    /// Round trip, a schema number, and unknown keys that are ignored, in every object.
    private func check<Message: Codable & Equatable>(_ message: Message, schema: Int) throws {
        let data = try WireJSON.encode(message)
        #expect(try WireJSON.decode(Message.self, from: data) == message)
        #expect(try WireJSON.encode(message) == data)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["schema"] as? Int == schema)
        let grown = try JSONSerialization.data(withJSONObject: Self.grown(object))
        #expect(try WireJSON.decode(Message.self, from: grown) == message)
    }

    private static func grown(_ value: Any) -> Any {
        if let array = value as? [Any] { return array.map(grown) }
        guard let object = value as? [String: Any] else { return value }
        var changed = object.mapValues(grown)
        // What a phrase leaves open is words by name, which have no keys of their own.
        if let values = object["values"] { changed["values"] = values }
        changed["of tomorrow"] = ["nested": [1, 2]]
        return changed
    }
}
