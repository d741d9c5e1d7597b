import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import OrderDomain
import PostgresClient
import TestSupport
import Testing

@testable import Desk

@Suite("The page of webhooks", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct WebhooksPageTests {
    private static func endpoint(
        _ id: String, _ url: String, state: EndpointBody.State = .enabled, reason: String? = nil, waiting: Int = 0
    ) -> EndpointBody {
        EndpointBody(
            id: SampleDeliveries.id(id), url: url, events: [.changed], store: StoreID(rawValue: "nordhavn"),
            description: "<b>till</b>", signature: .symmetric, state: state, disabledReason: reason,
            failingSince: state == .failing ? SampleDeliveries.placedAt : nil,
            pausedUntil: state == .failing ? SampleDeliveries.at(60) : nil, waiting: waiting,
            createdAt: SampleDeliveries.placedAt)
    }

    private static func receipt(
        _ id: String, _ state: ReceiptBody.State, isKnown: Bool = true, kind: String = "courier_en_route"
    ) -> ReceiptBody {
        ReceiptBody(
            id: id, source: SampleDeliveries.id("uber-cph"), kind: kind, references: ["del_\(id)"], state: state,
            isKnown: isKnown, delivery: nil, receivedAt: SampleDeliveries.at(3))
    }

    /// Has `partners` know some of everything.
    private static func know(_ services: ServicesByTest) throws {
        let endpoints = [
            endpoint("endpoint-1", "https://well.example/hook"),
            endpoint("endpoint-2", "https://failing.example/hook", state: .failing, waiting: 7),
            endpoint("endpoint-3", "https://gone.example/hook", state: .disabled, reason: "gone"),
        ]
        try services.answer("partners", "/v1/webhooks", EndpointsBody(endpoints: endpoints))
        let source = SourceBody(
            id: SampleDeliveries.id("uber-cph"), provider: "uber", name: "Uber", store: nil, acceptsTest: false,
            url: "https://partners.example/in/uber-cph", tokenURL: nil,
            secrets: [.init(id: "secret-1", createdAt: SampleDeliveries.placedAt)],
            createdAt: SampleDeliveries.placedAt)
        try services.answer("partners", "/v1/sources", SourcesBody(sources: [source]))
        let waiting = receipt("1", .waiting)
        let unknown = receipt("2", .waiting, isKnown: false, kind: "<script>\u{202E}teleported")
        let lists: [(String, [ReceiptBody])] = [
            ("unknown=true", [unknown]), ("state=waiting", [waiting, unknown]), ("state=unreadable", []),
            ("state=quarantined", [receipt("3", .quarantined)]),
        ]
        for (query, receipts) in lists {
            try services.answer(
                "partners", "/v1/receipts?\(query)", ReceiptsBody(receipts: receipts, next: nil))
        }
    }

    @Test("Addresses are listed with what is wrong first, and what providers sent with why nothing came of it")
    func read() async throws {
        try await DeskUnderTest.run(hasPartners: true) { desk, client in
            try Self.know(desk.services)
            let page = try await desk.browser(client, role: .viewer).get("/webhooks")
            #expect(page.0.status == .ok)
            let urls = ["https://gone.example", "https://failing.example", "https://well.example"]
            let places = urls.compactMap { page.html.range(of: $0)?.lowerBound }
            #expect(places.count == 3 && places == places.sorted())
            for part in [
                "disabled: its receiver answered 410, that it is gone", "failing since 17:00", "paused until 18:00",
                "7 waiting", "store nordhavn", "delivery.changed", "&lt;b&gt;till&lt;/b&gt;",
                "No delivery is known by any of its references yet", "del_1", "test mode",
                "&lt;script&gt;teleported", "uber · every store · 1 secret",
            ] {
                #expect(page.html.contains(part), "\(part)")
            }
            #expect(!page.html.contains("<script>\u{202E}") && !page.html.contains("\u{202E}"))
            #expect(page.html.components(separatedBy: "id=\"receipt-2\"").count == 2, "it is in one list alone")
            #expect(!page.html.contains("/disable"), "that takes a supervisor")
            #expect(!page.html.contains("/dismiss"), "that too")
            #expect(page.html.contains("aria-current=\"page\">Webhooks</a>"))
        }
    }

    @Test("A supervisor has events wait, or sent again, and nobody else does")
    func change() async throws {
        try await DeskUnderTest.run(hasPartners: true) { desk, client in
            try Self.know(desk.services)
            for id in ["endpoint-1", "endpoint-3"] {
                try desk.services.answer(
                    "partners", "PATCH /v1/webhooks/\(id)", Self.endpoint(id, "https://well.example/hook"))
            }
            let ada = try await desk.browser(client, role: .supervisor)
            let page = try await ada.get("/webhooks").html
            #expect(page.contains("action=\"/webhooks/endpoint-1/disable\""))
            #expect(page.contains("action=\"/webhooks/endpoint-3/enable\""))
            _ = desk.services.takeSent()
            let enabled = try await ada.post("/webhooks/endpoint-3/enable", [])
            #expect(enabled.0.status == .seeOther && enabled.0.headers[.location] == "/webhooks?done=enable")
            let disabled = try await ada.post("/webhooks/endpoint-1/disable", [])
            #expect(disabled.0.status == .seeOther)
            let sent = desk.services.takeSent().filter { $0.service == "partners" }
            #expect(sent.map(\.path) == ["/v1/webhooks/endpoint-3", "/v1/webhooks/endpoint-1"])
            #expect(sent.map(\.body) == [#"{"enabled":true}"#, #"{"enabled":false}"#])
            #expect(try await ada.get("/webhooks?done=enable").html.contains("Doorstep sends events there again"))

            for role in [OperatorScope.viewer, .dispatcher] {
                let other = try await desk.browser(client, as: "bo", role: role)
                _ = desk.services.takeSent()
                let refused = try await other.post("/webhooks/endpoint-1/disable", [])
                #expect(refused.0.status == .forbidden && refused.html.contains("It takes a supervisor"))
                #expect(!desk.services.takeSent().contains { $0.service == "partners" })
            }
            #expect(try await ada.post("/webhooks/endpoint-1/explode", []).0.status == .notFound)
        }
    }

    @Test("A supervisor dismisses what a provider sent, with a reason, and nobody else does")
    func dismissal() async throws {
        try await DeskUnderTest.run(hasPartners: true) { desk, client in
            try Self.know(desk.services)
            let id = "0c9f6b1e-5b1e-4c55-9a0d-2f6e8b7c1d3e"
            let path = "/receipts/\(id)/dismiss"
            try desk.services.answer("partners", "POST /v1\(path)", Self.receipt(id, .dismissed))
            let ada = try await desk.browser(client, role: .supervisor)
            let page = try await ada.get("/webhooks").html
            for receipt in ["1", "2", "3"] {
                #expect(page.contains("action=\"/receipts/\(receipt)/dismiss\""))
                #expect(page.contains("<label for=\"dismiss-\(receipt)\">"))
                #expect(page.contains("id=\"dismiss-\(receipt)\" name=\"reason\""))
            }
            _ = desk.services.takeSent()
            let dismissed = try await ada.post(path, [("reason", "of a test")])
            #expect(dismissed.0.status == .seeOther && dismissed.0.headers[.location] == "/webhooks?done=dismiss")
            let sent = desk.services.takeSent().filter { $0.service == "partners" }
            #expect(sent.map(\.path) == ["/v1\(path)"] && sent.map(\.body) == [#"{"reason":"of a test"}"#])
            #expect(try await ada.get("/webhooks?done=dismiss").html.contains("The event is dismissed"))
            #expect(try await ada.post("/receipts/1/dismiss", [("reason", "of a test")]).0.status == .notFound)

            for role in [OperatorScope.viewer, .dispatcher] {
                let other = try await desk.browser(client, as: "bo", role: role)
                _ = desk.services.takeSent()
                let refused = try await other.post(path, [("reason", "of a test")])
                #expect(refused.0.status == .forbidden && refused.html.contains("It takes a supervisor"))
                #expect(!desk.services.takeSent().contains { $0.service == "partners" })
            }
        }
    }

    @Test("While partners is away the page says so, and so does Health; the other pages do not")
    func away() async throws {
        try await DeskUnderTest.runSignedIn(hasPartners: true) { desk, ada in
            let delivery = SampleDeliveries.whole(SampleDeliveries.toEnRoute, at: SampleDeliveries.at(12))
            try desk.services.know(delivery)
            try desk.services.answer(
                "partners", "/v1/deliveries/\(delivery.id)/provider",
                ProviderReferencesBody(
                    delivery: delivery.id,
                    references: [.init(source: SampleDeliveries.id("uber-cph"), reference: "del_<7>")]))
            #expect(try await ada.get("/deliveries/\(delivery.id)").html.contains("del_&lt;7&gt; (uber-cph)"))

            desk.services.set(away: ["partners"])
            let page = try await ada.get("/webhooks")
            #expect(page.0.status == .ok && page.html.contains("partners does not answer since "))
            #expect(try await ada.get("/health").html.contains("partners does not answer"))
            #expect(try await ada.get("/dead-letters").html.contains("partners does not answer"))
            let shown = try await ada.get("/deliveries/\(delivery.id)")
            #expect(shown.0.status == .ok && shown.html.contains("A-1043"))
            #expect(!shown.html.contains("partners") && !shown.html.contains("Providers call it"))
        }
    }

    @Test("Where nobody set its address up the page says so, nothing is asked, and Health leaves it out")
    func notConfigured() async throws {
        try await DeskUnderTest.run { desk, client in
            let ada = try await desk.browser(client, role: .supervisor)
            let page = try await ada.get("/webhooks")
            #expect(page.0.status == .ok && page.html.contains("set SERVICES_PARTNERS_URL"))
            #expect(try await !ada.get("/health").html.contains("partners"))
            #expect(try await !ada.get("/dead-letters").html.contains("partners"))
            #expect(try await ada.post("/webhooks/endpoint-1/enable", []).0.status == .serviceUnavailable)
            #expect(!desk.services.takeSent().contains { $0.service == "partners" })
        }
    }
}
