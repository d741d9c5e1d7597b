import DeliveryProviders
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OpenAPITesting
import OrderDomain
import PostgresClient
import ProviderSamples
import ServiceRuntime
import TestSupport
import Testing

@testable import Partners

@Suite("Who read personal data in partners", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct PersonalReadsTests {
    @Test("Every operation of the document is a recorded read, or has no data of a person")
    func declared() throws {
        let document = try OpenAPIDocument(yaml: PackageResources.openapi_yaml)
        let recorded = PartnersHTTP.personalReads.adding(PersonalReads.ofOperatorRoutes).operations.mapValues(\.name)
        let faults = document.faults(
            ofRecorded: recorded,
            unrecorded: OpenAPIDocument.readsOfEveryService.union(OpenAPIDocument.changesOfOperatorRoutes).union([
                "receiveWebhook", "allowCloudEvents", "fetchSourceToken", "putSource", "deleteSource",
                "addSourceSecret", "deleteSourceSecret", "dismissReceipt", "setProviderReference", "addEndpoint",
                "changeEndpoint", "deleteEndpoint", "rotateEndpointSecret", "replayEvents", "triggerEvent",
                "republishReports",
                "validateOnfleetWebhook", "listSources", "getSource", "listEndpoints", "getEndpoint",
            ]))
        #expect(faults == [])
    }

    @Test("A read of a provider's message has its reader and operation, and a list without any is none")
    func receipts() async throws {
        try await PartnersUnderTest.run { partners, client in
            _ = try await partners.send(client, .get, "/v1/receipts")
            #expect(try await partners.reads.log.list(.init()).reads.isEmpty)
            let source = try await partners.addSource(client, .uber)
            _ = try await partners.post(client, "{}", from: .uber, source)
            let page: ReceiptsBody = try await partners.send(client, .get, "/v1/receipts", as: .store).decode()
            let receipt = try #require(page.receipts.first)
            _ = try await partners.send(client, .get, "/v1/receipts/\(receipt.id)")
            // A store is answered before its read is in the log where that is late.
            try await partners.reads.flush()
            let rows = try await partners.reads.log.list(.init()).reads
            #expect(rows.map(\.operation).sorted() == ["getReceipt", "listReceipts"])
            #expect(rows.map(\.role).sorted() == ["operator", "store"])
            #expect(rows.allSatisfy { $0.by == "ada" && $0.kind == "receipt" })
        }
    }

    @Test("A stream of events is one read when it is opened, and its events' deliveries are of it")
    func stream() async throws {
        try await PartnersUnderTest.run { partners, client in
            let streams = partners.parts.listeners.streams
            let reading = Task {
                try await partners.send(client, .get, "/v1/webhook-events/stream", as: .store).status
            }
            while !streams.all.contains(where: \.reader.isStored) { await Task.yield() }
            let delivery = try await partners.learnDelivery()
            let waiting: SQL = "SELECT 1 FROM event_deliveries WHERE state = 'waiting'"
            while try await !partners.pool.query(waiting).isEmpty { await Task.yield() }
            // The end of its listener ends the stream.
            try await partners.pool.execute("DELETE FROM endpoints")
            await partners.parts.upkeep.noteOpen()
            #expect(try await reading.value == .ok)
            try await partners.reads.flush()
            let rows = try await partners.reads.log.list(.init()).reads
            #expect(rows.map(\.operation) == ["streamEvents"])
            let row = try #require(rows.first)
            #expect(row.kind == "event" && row.role == "store" && row.deliveries == [delivery.id.rawValue])
        }
    }
}
