import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import LiveActivity
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite("Republishing the snapshots of deliveries", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct SnapshotRepublisherTests {
    @Test("A delivery whose row cannot be decoded is skipped, and all others are republished")
    func unreadable() async throws {
        try await OrdersUnderTest.run { orders, client in
            let first = try await orders.place(client, try orders.body(reference: "G-1")).deliveries[0].id
            let second = try await orders.place(client, try orders.body(reference: "G-2")).deliveries[0].id
            try await orders.pool.execute("DELETE FROM outbox")
            try await orders.pool.execute(
                "UPDATE deliveries SET snapshot = '{}' WHERE delivery_id = \(first.rawValue)")
            let answer = try await orders.send(client, .post, "/v1/admin/republish", as: .operator, "ada")
            #expect(answer.status == .accepted)
            #expect(try await orders.snapshots(of: second).count == 1)
            #expect(try await orders.snapshots(of: first).isEmpty)
        }
    }

    @Test("On request an end that readers lack is republished for three days, since they may have been away")
    func olderEnds() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.set(.cancelled, id, client)
            for (hours, count) in [(14.0, 1), (57.5, 1), (1.0, 0)] {
                try await orders.pool.execute("DELETE FROM outbox")
                orders.clock.advance(by: hours * 3_600)
                let answer = try await orders.send(client, .post, "/v1/admin/republish", as: .operator, "ada")
                #expect(answer.status == .accepted)
                let (snapshots, intents) = (try await orders.snapshots(of: id), try await orders.intents())
                #expect(snapshots.map { $0.message.delivery.status.isEnded } == Array(repeating: true, count: count))
                #expect(intents.map(\.step.isEnd) == Array(repeating: true, count: count))
            }
        }
    }

    @Test("What readers are asked about is what its messages carry", arguments: StatusCode.allCases)
    func revisions(_ code: StatusCode) async throws {
        for isAssigned in [false, true] {
            var delivery = try Delivery.sample()
            let at = delivery.placedAt.addingTimeInterval(60)
            if isAssigned {
                let courier = Courier(
                    id: try #require(CourierID(rawValue: "mira")), name: "Mira", vehicle: .bicycle, phone: nil)
                _ = try delivery.apply(.courier(courier), at: at)
            }
            _ = try? delivery.apply(.override(code, reason: "test"), at: at)
            let signer = try LinkSigner(
                origin: "https://go.nordhavn.example", keys: [1: Array(repeating: 7, count: 32)], signing: 1)
            let messages = DeliveryMessages(signer: signer, intents: OrderIntents(dismissal: .standard))
            let record = DeliveryRecord(delivery: delivery)
            let intent = try WireJSON.decode(
                Intent.self, from: Data(try messages.intentMessage(for: record, at: at).payload))
            let revisions = SnapshotRepublisher.revisions(of: DeliveryRevision(delivery))
            let asked = try #require(revisions[Subject.activityDispatchIntents])
            #expect(
                asked
                    == PublishedRevision(
                        id: intent.activity.rawValue, isEnded: intent.step.isEnd,
                        version: intent.step.content.revision.version, step: intent.step.content.revision.step,
                        isProlonged: !intent.step.isEnd && delivery.holder == .orders))
            let sent = try messages.messages(for: record, cause: "test", at: at).map(\.subject)
            let isSent = sent.contains(Subject.deliveriesChanged)
            #expect((revisions[Subject.courierETADeliveries] != nil) == isSent)
            #expect(revisions[Subject.courierETADeliveries]?.version ?? delivery.version == delivery.version)
        }
    }

    @Test("Of estimates and cards' health what is older than published is lacking, and of no delivery that is not here")
    func lacking() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, delivery in
            func estimates(_ version: Int, _ step: Int) async throws -> [Int] {
                let asked = [
                    PublishedRevision(id: "nobody's", version: 9),
                    PublishedRevision(id: delivery.rawValue, version: version, step: step),
                ]
                return try await OrderRepository.lackingEstimates(asked, on: orders.pool)
            }
            func health(_ sequence: Int) async throws -> [Int] {
                let asked = [
                    PublishedRevision(id: delivery.rawValue, version: sequence),
                    PublishedRevision(id: "nobody's", version: 9),
                ]
                return try await OrderRepository.lackingCardHealth(asked, on: orders.pool)
            }
            #expect(try await estimates(1, 1) == [1])
            #expect(try await health(1) == [0])
            let at = orders.clock.now
            let courier = try #require(CourierID(rawValue: "mira"))
            try await orders.pool.execute(
                try OrderRepository.project([
                    EstimateChanged(
                        delivery: delivery, version: 3, step: 5,
                        estimate: Estimate(arrivesAt: at, earliest: at, latest: at, madeAt: at), courier: courier,
                        lastFixAt: nil)
                ]))
            try await orders.pool.execute(
                OrderRepository.project([
                    CardHealthChanged(delivery: delivery, sequence: 4, cards: 1, behind: 0, reason: nil)
                ]))
            #expect(try await estimates(3, 5) == [])
            #expect(try await estimates(2, 9) == [])
            #expect(try await health(4) == [])
            #expect(try await health(3) == [])
            #expect(try await estimates(3, 6) == [1])
            #expect(try await estimates(4, 0) == [1])
            #expect(try await health(5) == [0])
        }
    }
}
