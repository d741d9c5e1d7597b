import DeliveryProviders
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OpenAPITesting
import OrderDomain
import PostgresClient
import ProviderSamples
import ServiceRuntime
import TestSupport
import Testing
import TextCoding

@testable import Partners

@Suite("Sources and their secrets", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct SourcesTests {
    @Test("Two secrets are good while one replaces the other, and one that was removed is not")
    func rotation() async throws {
        try await PartnersUnderTest.run { partners, client in
            let first = try await partners.addSource(client, .uber)
            func accepted(_ secrets: String...) async throws -> [Bool] {
                let source = try await SourceRepository.source(
                    try #require(SourceID(rawValue: "uber")), by: partners.box, on: partners.pool)
                let body = Data("{}".utf8)
                return secrets.map { secret in
                    let headers = ProviderProof.headers(of: body, from: .uber, secret: secret)
                    return (try? source?.verify(body, header: { headers[$0] }, now: Date())) != nil
                }
            }
            // The second request repeats the first, whose answer is lost.
            for _ in 0..<2 {
                let added = try await partners.send(
                    client, .post, "/v1/sources/uber/secrets", NewSecretBody(secret: "second-secret-of-uber"))
                #expect(added.status == .created)
            }
            #expect(try await accepted(first.secret, "second-secret-of-uber") == [true, true])
            let source: SourceBody = try await partners.send(client, .get, "/v1/sources/uber").decode()
            #expect(source.secrets.count == 2 && source.secrets.allSatisfy { $0.secret == nil })
            let path = "/v1/sources/uber/secrets"
            #expect(try await partners.send(client, .delete, "\(path)/\(source.secrets[0].id)").status == .noContent)
            #expect(try await accepted(first.secret, "second-secret-of-uber") == [false, true])
            let last = try await partners.send(client, .delete, "\(path)/\(source.secrets[1].id)")
            #expect(last.status == .conflict && last.problem == "last-secret")
            let later = ["third", "fourth", "fifth", "sixth"].map { "\($0)-secret-of-uber" }
            for text in later { _ = try await partners.send(client, .post, path, NewSecretBody(secret: text)) }
            #expect(try await accepted("second-secret-of-uber", later[0], later[3]) == [false, true, true])
        }
    }

    @Test("The document allows as many secrets of a source as it may have")
    func documented() throws {
        let schemas = try OpenAPIDocument(yaml: PackageResources.openapi_yaml).schemas
        let secrets = schemas["SourceBody"]?["properties"]?["secrets"]
        #expect(secrets?["maxItems"]?.number == Double(Source.secretsMax))
    }

    @Test("The provider's only secret stays valid where a rotation is repeated after lost answers")
    func repeatedRotation() async throws {
        try await PartnersUnderTest.run { partners, client in
            let first = try await partners.addSource(client, .doorDash)
            let path = "/v1/sources/\(first.id)/secrets"
            for _ in 0..<2 { #expect(try await partners.send(client, .post, path).status == .created) }
            let body = ProviderLife(of: .doorDash, from: PartnersUnderTest.start).bodies[0]
            #expect(try await partners.post(client, body, from: .doorDash, first).status == .ok)
        }
    }

    enum Rotation: CaseIterable, Sendable { case newSecret, sameSecret, sameSource }

    @Test("A source's secret is valid after the drop of the key that encrypted it", arguments: Rotation.allCases)
    func droppedKey(rotation: Rotation) async throws {
        try await PartnersUnderTest.run { partners, client in
            let first = try await partners.addSource(client, .uber)
            let id = try #require(SourceID(rawValue: first.id))
            // The keys of a rotation: both decrypt and the new one encrypts, then the former one is dropped.
            let (former, present) = (Array(repeating: UInt8(7), count: 32), Array(repeating: UInt8(8), count: 32))
            let box = try SecretBox(keys: [1: former, 2: present], encrypting: 2)
            let cache = SourceCache(
                pool: partners.pool, box: box, logger: .silent, sleep: { _ in })
            let rotating = ManageSources(
                pool: partners.pool, clock: partners.clock.domain, box: box, cache: cache, makeUUID: { UUID() })
            switch rotation {
            case .newSecret: _ = try await rotating.addSecret("second-secret-of-uber", to: id, within: nil)
            case .sameSecret: _ = try await rotating.addSecret(first.secret, to: id, within: nil)
            case .sameSource:
                let body = PutSourceBody(provider: "uber", secret: first.secret)
                _ = try await rotating.put(id, .uber, body, within: nil)
            }
            let dropped = try SecretBox(keys: [2: present], encrypting: 2)
            let source = try #require(try await SourceRepository.source(id, by: dropped, on: partners.pool))
            let body = Data("{}".utf8)
            let headers = ProviderProof.headers(of: body, from: .uber, secret: first.secret)
            #expect(throws: Never.self) { try source.verify(body, header: { headers[$0] }, now: Date()) }
        }
    }

    @Test("A secret that is made here is shown once, and is in no row of the database")
    func shownOnce() async throws {
        try await PartnersUnderTest.run { partners, client in
            for provider in [DeliveryProvider.doorDash, .instacart, .cloudEvents] {
                let path = "/v1/sources/\(provider.rawValue)"
                let made: SourceBody = try await partners.send(
                    client, .put, path, PutSourceBody(provider: provider.rawValue)
                ).decode()
                let secret = try #require(made.secrets.first?.secret)
                #expect(provider.fault(ofSecret: secret) == nil)
                let again = try await partners.send(
                    client, .put, path, PutSourceBody(provider: provider.rawValue, name: "Velo"))
                let read: SourceBody = try again.decode()
                #expect(again.status == .ok && read.name == "Velo" && read.secrets.first?.secret == nil)
                let rows = try await partners.pool.query(
                    "SELECT encode(sealed, 'escape') AS sealed FROM source_secrets")
                #expect(try rows.allSatisfy { try !$0.decode("sealed", as: String.self).contains(secret) })
            }
            // A repeat of the same request, whose first answer was lost, is answered as the first was but for its status.
            let secret = ProviderProof.sampleSecret(of: .uber)
            for status in [201, 200] {
                let put = try await partners.send(
                    client, .put, "/v1/sources/repeated", PutSourceBody(provider: "uber", secret: secret))
                #expect(put.status.code == status)
            }
            let other = try await partners.send(
                client, .put, "/v1/sources/repeated", PutSourceBody(provider: "uber", secret: secret + "x"))
            #expect(other.status == .conflict)
            for provider in [DeliveryProvider.uber, .onfleet] {
                let refused = try await partners.send(
                    client, .put, "/v1/sources/\(provider.rawValue)", PutSourceBody(provider: provider.rawValue))
                #expect(refused.status == .badRequest && String(buffer: refused.body).contains("secret"))
            }
        }
    }

    @Test("A source keeps its provider, and a store sees and changes its own alone")
    func owners() async throws {
        try await PartnersUnderTest.run { partners, client in
            _ = try await partners.addSource(client, .uber)
            let own = try await partners.send(
                client, .put, "/v1/sources/own", as: .store, store: "nordhavn", PutSourceBody(provider: "doordash"))
            let source: SourceBody = try own.decode()
            #expect(own.status == .created && source.store?.rawValue == "nordhavn")
            #expect(source.url == "https://partners.nordhavn.example/in/own")
            #expect(source.tokenURL == "https://partners.nordhavn.example/in/own/token")
            let differs = try await partners.send(
                client, .put, "/v1/sources/uber", PutSourceBody(provider: "doordash"))
            #expect(differs.status == .conflict && differs.problem == "source-differs")
            let list: SourcesBody = try await partners.send(
                client, .get, "/v1/sources", as: .store, store: "nordhavn"
            ).decode()
            #expect(list.sources.map(\.id.rawValue) == ["own"])
            for (method, path) in [
                (HTTPRequest.Method.get, "/v1/sources/uber"), (.delete, "/v1/sources/uber"),
                (.post, "/v1/sources/uber/secrets"),
            ] {
                let answer = try await partners.send(client, method, path, as: .store, store: "nordhavn")
                #expect(answer.status == .notFound, "\(method) \(path)")
            }
            let foreign = try await partners.send(
                client, .put, "/v1/sources/foreign", as: .store, store: "nordhavn",
                PutSourceBody(provider: "doordash", store: StoreID(rawValue: "mitte")))
            #expect(foreign.status == .notFound)
            // Of what was received it sees what its own sources sent.
            let body = ProviderLife(of: .doorDash, from: PartnersUnderTest.start).bodies[0]
            let added = try await partners.send(
                client, .post, "/v1/sources/own/secrets", NewSecretBody(secret: "a-secret-of-doordash"))
            #expect(added.status == .created)
            for (id, secret) in [("own", "a-secret-of-doordash"), ("uber", "")] {
                let provider: DeliveryProvider = id == "own" ? .doorDash : .uber
                _ = try await partners.post(client, body, from: provider, (id, secret))
            }
            let received: ReceiptsBody = try await partners.send(
                client, .get, "/v1/receipts", as: .store, store: "nordhavn"
            ).decode()
            #expect(received.receipts.map(\.source.rawValue) == ["own"])
            let receipt = try #require(received.receipts.first)
            for (store, status) in [("nordhavn", 200), ("mitte", 404)] {
                let answer = try await partners.send(
                    client, .get, "/v1/receipts/\(receipt.id)", as: .store, store: store)
                #expect(answer.status.code == status)
            }
            #expect(try await partners.send(client, .delete, "/v1/sources/own").status == .noContent)
            #expect(try await partners.send(client, .get, "/v1/sources/own").status == .notFound)
            // Another store adds no source of the same id, and one that moves to it shows nothing of the former store's.
            let again = try await partners.send(
                client, .put, "/v1/sources/own", as: .store, store: "mitte", PutSourceBody(provider: "doordash"))
            #expect(again.status == .conflict && again.problem == "source-differs")
            for (store, status) in [("nordhavn", 201), ("mitte", 200)] {
                let put = try await partners.send(
                    client, .put, "/v1/sources/own",
                    PutSourceBody(provider: "doordash", store: StoreID(rawValue: store)))
                #expect(put.status.code == status, "\(store)")
            }
            for (store, ids) in [("mitte", []), ("nordhavn", [receipt.id])] as [(String, [String])] {
                let list: ReceiptsBody = try await partners.send(
                    client, .get, "/v1/receipts", as: .store, store: store
                ).decode()
                #expect(list.receipts.map(\.id) == ids, "\(store)")
            }
            let hidden = try await partners.send(
                client, .get, "/v1/receipts/\(receipt.id)", as: .store, store: "mitte")
            #expect(hidden.status == .notFound)
        }
    }

    @Test("A source that is there as it was sent is answered without a wait for the replicas, and a change after it")
    func repeatedPut() async throws {
        try await PartnersUnderTest.run { partners, client in
            for (name, waits) in [("Velo", 0), ("Velo", 0), ("Rad", 1), ("Rad", 1)] {
                _ = try await partners.send(
                    client, .put, "/v1/sources/own", PutSourceBody(provider: "doordash", name: name))
                let waited = Double(waits) * (SourceCache.ageMax / .seconds(1))
                #expect(partners.cacheTime.now == PartnersUnderTest.start.addingTimeInterval(waited), "\(name)")
            }
        }
    }

    @Test("A store has at most twenty sources, however they become its own")
    func bounded() async throws {
        try await PartnersUnderTest.run { partners, client in
            func put(_ id: String, of store: String) async throws -> TestResponse {
                try await partners.send(
                    client, .put, "/v1/sources/\(id)",
                    PutSourceBody(provider: "doordash", store: StoreID(rawValue: store)))
            }
            for index in 1...Source.sourcesMax {
                #expect(try await put("s-\(index)", of: "nordhavn").status == .created)
            }
            let refused = try await partners.send(
                client, .put, "/v1/sources/more", as: .store, store: "nordhavn", PutSourceBody(provider: "doordash"))
            #expect(refused.status == .unprocessableContent && refused.problem == "too-many-sources")
            #expect(try await put("s-1", of: "nordhavn").status == .ok)
            #expect(try await put("other", of: "mitte").status == .created)
            #expect(try await put("other", of: "nordhavn").status == .unprocessableContent)
            #expect(try await partners.send(client, .delete, "/v1/sources/s-1").status == .noContent)
            #expect(try await put("other", of: "nordhavn").status == .ok)
        }
    }

    @Test("A viewer reads what a provider sent without the numbers in it, and a dispatcher and a store read it whole")
    func numbers() async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let body = """
                {"event_name":"DASHER_CONFIRMED","external_delivery_id":"D-1","dasher_name":"Sam",
                "dasher_phone_number":"+4512345678"}
                """
            #expect(try await partners.post(client, body, from: .doorDash, source).status == .ok)
            let receipt = try #require(try await partners.receipts(client).first)
            func read(as role: Role, _ scope: String?) async throws -> ReceiptBody {
                try await partners.send(client, .get, "/v1/receipts/\(receipt.id)", as: role, scope: scope).decode()
            }
            let seen = try await read(as: .operator, "viewer")
            #expect(seen.id == receipt.id && seen.references == ["D-1"] && seen.body == nil)
            for (role, scope) in [(Role.operator, "dispatcher"), (.operator, nil), (.store, nil)] as [(Role, String?)] {
                #expect(try await read(as: role, scope).body == body)
            }
        }
    }

    @Test(
        "Who may do what",
        arguments: [
            (Role.operator, "viewer", 200, 403), (.operator, "dispatcher", 200, 403),
            (.operator, "supervisor", 200, 201),
            (.customer, "", 404, 404), (.courier, "", 404, 404), (.store, "", 200, 201),
        ])
    func roles(role: Role, scope: String, reads: Int, changes: Int) async throws {
        try await PartnersUnderTest.run { partners, client in
            let scope = scope.isEmpty ? nil : scope
            for path in ["/v1/sources", "/v1/webhooks", "/v1/receipts"] {
                #expect(
                    try await partners.send(client, .get, path, as: role, scope: scope).status.code == reads, "\(path)")
            }
            let put = try await partners.send(
                client, .put, "/v1/sources/x", as: role, scope: scope, PutSourceBody(provider: "doordash"))
            #expect(put.status.code == changes)
            let added = try await partners.send(
                client, .post, "/v1/webhooks", as: role, scope: scope,
                NewEndpointBody(url: "https://shop.example/hooks"))
            #expect(added.status.code == changes)
            #expect(try await partners.send(client, .get, "/v1/sources", as: nil).status == .unauthorized)
        }
    }
}
