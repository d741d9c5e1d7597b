import DeliveryProviders
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import OrderDomain
import PostgresClient
import ProviderSamples
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Partners

@Suite("Dismissed events of providers", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct DismissReceiptTests {
    /// What DoorDash sends first of a delivery that it calls so.
    private func webhook(_ reference: String) -> String {
        ProviderLife(of: .doorDash, reference: reference, from: PartnersUnderTest.start).bodies[0]
    }

    private func dismiss(
        _ id: String, _ partners: PartnersUnderTest, _ client: any TestClientProtocol, as role: Role? = .operator,
        store: String? = nil, scope: String? = nil, reason: String = "of a test"
    ) async throws -> TestResponse {
        try await partners.send(
            client, .post, "/v1/receipts/\(id)/dismiss", as: role, store: store, scope: scope,
            ReasonBody(reason: reason))
    }

    /// Has the service receive one event of each kind that is for people; the one of an unknown meaning is a delivery's.
    private func receiveEach(
        _ delivery: Delivery, _ partners: PartnersUnderTest, _ client: any TestClientProtocol
    ) async throws {
        let doorDash = try await partners.addSource(client, .doorDash)
        let uber = try await partners.addSource(client, .uber)
        let unknown = #"{"event_name":"DASHER_SANG","external_delivery_id":"\#(delivery.id)","dasher_name":"Sam"}"#
        for body in [webhook("D-1"), "{", unknown] {
            #expect(try await partners.post(client, body, from: .doorDash, doorDash).status == .ok)
        }
        let trial = """
            {"kind":"event.delivery_status","id":"evt_1","delivery_id":"del_9","status":"delivered",
            "created":"2026-11-21T10:05:00.287Z","live_mode":false,"data":{}}
            """
        #expect(try await partners.post(client, trial, from: .uber, uber).status == .ok)
    }

    @Test("What changed nothing is dismissed, for whatever reason it did, and is in no count and no list for people")
    func everyState() async throws {
        try await PartnersUnderTest.run { partners, client in
            let delivery = try await partners.learnDelivery()
            try await receiveEach(delivery, partners, client)
            let kept = try await ReceiptRepository.countsForPeople(on: partners.pool)
            #expect(kept == ["waiting": 1, "quarantined": 1, "unreadable": 1, "unknown": 1])
            partners.clock.advance(by: 60)
            for receipt in try await partners.receipts(client) {
                let answer = try await dismiss(receipt.id, partners, client, reason: " of a trial ")
                #expect(answer.status == .ok, "\(receipt.state)")
                let dismissed: ReceiptBody = try answer.decode()
                #expect(dismissed.state == .dismissed && dismissed.delivery == receipt.delivery)
                #expect(dismissed.dismissal?.by == "ada" && dismissed.dismissal?.reason == "of a trial")
                #expect(dismissed.dismissal?.at == partners.clock.now)
            }
            #expect(try await ReceiptRepository.countsForPeople(on: partners.pool).isEmpty)
            for query in ["state=waiting", "state=quarantined", "state=unreadable", "unknown=true"] {
                #expect(try await partners.receipts(client, "?\(query)").isEmpty, "\(query)")
            }
            let dismissed = try await partners.receipts(client, "?state=dismissed")
            #expect(dismissed.count == 4 && dismissed.allSatisfy { $0.dismissal != nil })
        }
    }

    @Test("What an event of an unknown meaning reported of its delivery is counted and republished still")
    func reportStays() async throws {
        try await PartnersUnderTest.run { partners, client in
            let delivery = try await partners.learnDelivery()
            try await receiveEach(delivery, partners, client)
            let unknown = try #require(try await partners.receipts(client, "?unknown=true").first)
            #expect(unknown.state == .applied)
            #expect(try await dismiss(unknown.id, partners, client).status == .ok)
            let republished = try await partners.pool.withTransaction { transaction in
                try await ReceiptRepository.reportRows([delivery.id.rawValue], in: transaction).count
            }
            let counted = try await partners.pool.query("SELECT reports FROM reported_deliveries")
            #expect(republished == 1)
            #expect(try counted.map { try $0.decode("reports", as: Int.self) } == [1])
        }
    }

    @Test("A second dismissal changes nothing, and is answered as the first")
    func twice() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            #expect(try await partners.post(client, webhook("D-2"), from: .doorDash, source).status == .ok)
            let id = try #require(try await partners.receipts(client).first).id
            let first = try await dismiss(id, partners, client)
            partners.clock.advance(by: 60)
            let second = try await dismiss(id, partners, client, reason: "another one")
            #expect(first.status == .ok && second.status == .ok)
            let (one, two): (ReceiptBody, ReceiptBody) = (try first.decode(), try second.decode())
            #expect(one.dismissal != nil && one.dismissal == two.dismissal && two.state == .dismissed)
        }
    }

    @Test("What was applied is not dismissed, nor what is not there, nor without a reason")
    func refused() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let delivery = try await partners.learnDelivery()
            for reference in [delivery.id.rawValue, "D-3"] {
                #expect(try await partners.post(client, webhook(reference), from: .doorDash, source).status == .ok)
            }
            let applied = try #require(try await partners.receipts(client, "?state=applied").first)
            let answer = try await dismiss(applied.id, partners, client)
            #expect(answer.status == .conflict && answer.problem == "receipt-applied")
            for id in [UUID().uuidString.lowercased(), "none"] {
                #expect(try await dismiss(id, partners, client).status == .notFound)
            }
            let waiting = try #require(try await partners.receipts(client, "?state=waiting").first)
            #expect(try await dismiss(waiting.id, partners, client, reason: "  ").status == .badRequest)
            #expect(try await partners.receipts(client).map(\.state).filter { $0 == .dismissed }.isEmpty)
        }
    }

    @Test("A delivery that becomes known later, and a webhook that comes again, apply nothing that was dismissed")
    func stays() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let delivery = try await partners.learnDelivery()
            let later = try partners.delivery()
            for reference in ["D-4", later.id.rawValue] {
                #expect(try await partners.post(client, webhook(reference), from: .doorDash, source).status == .ok)
            }
            for receipt in try await partners.receipts(client, "?state=waiting") {
                #expect(try await dismiss(receipt.id, partners, client).status == .ok)
            }
            let reference = ProviderReferenceBody(
                source: try #require(SourceID(rawValue: source.id)), reference: "D-4")
            let named = try await partners.send(client, .put, "/v1/deliveries/\(delivery.id)/provider", reference)
            #expect(named.status == .ok)
            try await partners.learn(later)
            for reference in ["D-4", later.id.rawValue] {
                #expect(try await partners.post(client, webhook(reference), from: .doorDash, source).status == .ok)
            }
            #expect(try await partners.outbox().reports.isEmpty)
            #expect(try await partners.receipts(client).map(\.state) == [.dismissed, .dismissed])
        }
    }

    @Test("What is dismissed and applied at once is either, and whoever dismisses it is told which")
    func atOnce() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let delivery = try await partners.learnDelivery()
            #expect(try await partners.post(client, webhook("D-5"), from: .doorDash, source).status == .ok)
            let reference = ProviderReferenceBody(
                source: try #require(SourceID(rawValue: source.id)), reference: "D-5")
            _ = try await SourceRepository.setReference(
                reference, of: delivery.id, within: nil, at: partners.clock.now, on: partners.pool)
            let receipt = try #require(try await partners.receipts(client).first)
            let id = try #require(UUID(uuidString: receipt.id))
            let dismissReceipt = DismissReceipt(pool: partners.pool, clock: partners.clock.domain)
            let outcome = Mutex<ReceiptBody.State?>(nil)
            let dismissing: @Sendable () async throws -> Void = {
                do {
                    _ = try await dismissReceipt(id, by: "ada", reason: "of a test", within: nil)
                    outcome.withLock { $0 = .dismissed }
                } catch DismissReceipt.Refusal.alreadyApplied {
                    outcome.withLock { $0 = .applied }
                }
            }
            let applying: @Sendable () async throws -> Void = {
                try await partners.parts.applyWaiting(for: [delivery.id])
            }
            // The one is about to change it, the other has read that it waits.
            try await partners.block([dismissing, applying], at: "receipts", in: "EXCLUSIVE")
            let ended = outcome.withLock { $0 }
            let state = try #require(ended)
            let reports = state == .applied ? 1 : 0
            #expect(try await partners.receipts(client).map(\.state) == [state])
            #expect(try await partners.outbox().reports.count == reports)
            #expect(try await partners.pool.query("SELECT reports FROM reported_deliveries").count == reports)
        }
    }

    @Test("Supervisors dismiss what every source sent, shops what their own sent, and nobody else does")
    func roles() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash, store: StoreID(rawValue: "nordhavn"))
            for reference in ["D-6", "D-7"] {
                #expect(try await partners.post(client, webhook(reference), from: .doorDash, source).status == .ok)
            }
            let receipts = try await partners.receipts(client)
            #expect(receipts.count == 2)
            let id = receipts[0].id
            let refusals: [(role: Role?, store: String?, scope: String?, status: Int)] = [
                (nil, nil, nil, 401), (.customer, nil, nil, 404), (.courier, nil, nil, 404),
                (.operator, nil, "viewer", 403), (.operator, nil, "dispatcher", 403),
                (.operator, "mitte", "supervisor", 404), (.store, "mitte", nil, 404),
            ]
            for one in refusals {
                let answer = try await dismiss(id, partners, client, as: one.role, store: one.store, scope: one.scope)
                #expect(answer.status.code == one.status, "\(one)")
            }
            #expect(try await partners.receipts(client).map(\.state) == [.waiting, .waiting])
            #expect(try await dismiss(id, partners, client, as: .store, store: "nordhavn").status == .ok)
            let other = try await dismiss(receipts[1].id, partners, client, scope: "supervisor")
            #expect(other.status == .ok)
        }
    }
}
