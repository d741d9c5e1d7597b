import DeliveryDiagnosis
import DeliverySamples
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOHTTP1
import OpenAPITesting
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import Desk

@Suite("Who read personal data at the desk", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ReadsPageTests {
    private static func board(_ desk: DeskUnderTest) async throws -> Delivery {
        let delivery = SampleDeliveries.whole(SampleDeliveries.toEnRoute)
        try desk.services.know(delivery)
        try desk.services.answer("orders", "/v1/deliveries", ServicesByTest.board([delivery]))
        await desk.reader.read()
        return delivery
    }

    private static func rows(_ desk: DeskUnderTest) async throws -> [PersonalReadBody] {
        try await desk.parts.pages.reads.log.list(.init()).reads
    }

    @Test("Every operation of the document is a recorded read, or has no data of a customer or courier")
    func declared() throws {
        let document = try OpenAPIDocument(yaml: PackageResources.openapi_yaml)
        let faults = document.faults(
            ofRecorded: DeskHTTP.personalReads.operations.mapValues(\.name),
            unrecorded: OpenAPIDocument.readsOfEveryService.union(["listSessions", "makeSignInLink", "endSessions"]))
        #expect(faults == [])
    }

    @Test("The board's reader is the person and not the desk, and a page of an hour is one row")
    func board() async throws {
        try await DeskUnderTest.runSignedIn { desk, ada in
            let delivery = try await Self.board(desk)
            for _ in 0..<3 { #expect(try await ada.get("/").0.status == .ok) }
            let rows = try await Self.rows(desk)
            #expect(rows.count == 1)
            let row = try #require(rows.first)
            #expect(row.by == "ada" && row.role == "operator" && row.operation == "page now" && row.kind == "drop_off")
            #expect(row.deliveries == [delivery.id.rawValue] && row.customers == [delivery.customer.rawValue])
            #expect(try await ada.get("/map").0.status == .ok)
            #expect(try await Self.rows(desk).map(\.operation).sorted() == ["page map", "page now"])
        }
    }

    @Test("A service gets the person's name with a read of one delivery, which it records itself")
    func delivery() async throws {
        try await DeskUnderTest.run { desk, client in
            let delivery = try await Self.board(desk)
            _ = desk.services.takeSent()
            #expect(try await desk.browser(client).get("/deliveries/\(delivery.id)").0.status == .ok)
            for sent in desk.services.takeSent() where sent.path.contains(delivery.id.rawValue) {
                let token = try #require(sent.headers.first(name: "Authorization")?.split(separator: " ").last)
                #expect(try await desk.keys.verifier.identity(of: String(token), at: Date()).subject == "ada")
            }
            #expect(try await Self.rows(desk).isEmpty)
        }
    }

    @Test("A page whose read cannot be recorded is not shown, and a page without personal data is")
    func unwritable() async throws {
        try await DeskUnderTest.run { desk, client in
            let delivery = try await Self.board(desk)
            try await desk.pool.execute("ALTER TABLE personal_reads RENAME TO hidden")
            let ada = try await desk.browser(client)
            let (answer, html) = try await ada.get("/")
            #expect(answer.status == .serviceUnavailable && !html.contains(delivery.id.rawValue))
            let refresh = try #require(HTTPField.Name("Refresh"))
            #expect(answer.headers[refresh] == "5")
            _ = desk.services.takeSent()
            let chosen = try await ada.post(
                "/bulk", [("kind", "courier"), ("delivery", "\(delivery.id) \(delivery.version)")])
            #expect(chosen.0.status == .serviceUnavailable && chosen.0.headers[refresh] == nil)
            #expect(chosen.html.contains("Nothing was changed. Go back, and send the form again."))
            #expect(desk.services.takeSent().allSatisfy { $0.method == .GET })
            #expect(try await ada.get("/stores").0.status == .ok)
            try await desk.pool.execute("ALTER TABLE hidden RENAME TO personal_reads")
            #expect(try await ada.get("/").0.status == .ok)
        }
    }

    @Test("A supervisor sees the reads of all services by time, page by page, and a service that is away")
    func page() async throws {
        try await DeskUnderTest.run { desk, client in
            func read(_ number: Int, by reader: String) -> PersonalReadBody {
                let at = SampleDeliveries.at(13).addingTimeInterval(Double(number))
                return PersonalReadBody(
                    id: UUID().uuidString.lowercased(), at: at, lastAt: at, role: "operator", by: reader, store: nil,
                    operation: "getDelivery", kind: "drop_off", customers: ["<mette>"], deliveries: [], couriers: [],
                    reads: 2, objects: 2, traceID: nil)
            }
            let ofOrders = (0..<50).map { read(100 - 2 * $0, by: "orders-\($0)") }
            let ofDispatch = (0..<20).map { read(101 - 2 * $0, by: "dispatch-\($0)") }
            try desk.services.answer(
                "orders", "/v1/personal-reads", PersonalReadsBody(reads: ofOrders, next: ofOrders.last?.id))
            try desk.services.answer(
                "activity-dispatch", "/v1/personal-reads", PersonalReadsBody(reads: ofDispatch, next: nil))
            let ida = try await desk.browser(client, as: "ida", role: .supervisor)
            let (_, html) = try await ida.get("/reads?customer=mette&from=2026%2D11%2D24T18:00&until=nonsense")
            #expect(html.contains(#"name="from" value="2026-11-24T18:00""#))
            #expect(html.contains(#"name="until" value="""#))
            #expect(html.contains("customer &lt;mette&gt;") && html.contains("2 times"))
            let first = try #require(html.range(of: "dispatch-0"))
            let second = try #require(html.range(of: "orders-0"))
            #expect(first.lowerBound < second.lowerBound)
            #expect(html.contains("The reads in courier-eta are missing here"))
            // 20 of one service and 30 of the other: the next page begins there.
            #expect(html.contains("orders-29") && !html.contains("orders-30"))
            #expect(html.contains("orders%3A\(ofOrders[29].id.replacing("-", with: "%2D"))"))
            let asked = desk.services.takeSent().filter { $0.path.hasPrefix("/v1/personal-reads") }
            #expect(asked.count == 3 && asked.allSatisfy { $0.path.contains("customer=mette&from=2026%2D11%2D24T") })
            #expect(try await Self.rows(desk).map(\.operation) == ["page reads"])
            #expect(try await desk.browser(client).get("/reads").0.status == .forbidden)
        }
    }

    @Test("A reader's name is searched with its blank, which a form sends as a plus")
    func readerName() async throws {
        try await DeskUnderTest.run { desk, client in
            try desk.services.answer("orders", "/v1/personal-reads", PersonalReadsBody(reads: [], next: nil))
            let ida = try await desk.browser(client, as: "ida", role: .supervisor)
            let (_, html) = try await ida.get("/reads?by=Ada+Lovelace")
            #expect(html.contains(#"name="by" value="Ada Lovelace""#))
            let asked = desk.services.takeSent().filter { $0.path.hasPrefix("/v1/personal-reads") }
            #expect(!asked.isEmpty && asked.allSatisfy { $0.path.contains("by=Ada%20Lovelace") })
        }
    }

    @Test("An erased customer's id is replaced in the desk's reads")
    func erased() async throws {
        try await DeskUnderTest.run { desk, client in
            let delivery = try await Self.board(desk)
            _ = try await desk.browser(client).get("/")
            let pseudonym = try #require(CustomerID(rawValue: "erased-1"))
            let receipt = try await ErasePerson(pool: desk.pool)(
                ErasureRequest(
                    request: UUID(), part: "", customer: delivery.customer, pseudonym: pseudonym, orders: [],
                    deliveries: [], isLast: true, mayWait: true))
            #expect(receipt.rows == ["personal_reads": 1])
            #expect(try await Self.rows(desk).map(\.customers) == [["erased-1"]])
        }
    }

    @Test("The events of a stream are in the log before they are sent, and the stream ends where they cannot be")
    func stream() async throws {
        try await DeskUnderTest.run { desk, _ in
            let delivery = try await Self.board(desk)
            let slot = try #require(desk.streams.open(.board, for: PageStreamsTests.reader(1)))
            func stream(of page: String) -> BoardStream {
                BoardStream(
                    filter: .all, showBoard: desk.showBoard, rows: BoardRowCache(), process: "p", missing: { [] },
                    record: desk.parts.pages.recording(page, by: PageStreamsTests.reader(1)), slot: slot, shown: "")
            }
            var shown = stream(of: "now")
            #expect(try await shown.next()?.isEmpty == false)
            let row = try #require(try await Self.rows(desk).first)
            #expect(row.by == "ada" && row.deliveries == [delivery.id.rawValue])
            #expect(row.customers == [delivery.customer.rawValue])
            try await desk.pool.execute("ALTER TABLE personal_reads RENAME TO hidden")
            var refused = stream(of: "other")
            #expect(try await refused.next() == nil)
        }
    }

    @Test("A service that cannot record its reader is not away, and the page names the cause")
    func unrecorded() async throws {
        try await DeskUnderTest.run { desk, client in
            let delivery = try await Self.board(desk)
            let problem = ProblemByTest("unrecorded", title: "Reads of personal data cannot be recorded right now")
            try desk.services.refuse("orders", "/v1/deliveries/\(delivery.id)", with: problem, status: 503)
            let (_, html) = try await desk.browser(client).get("/deliveries/\(delivery.id)")
            #expect(html.contains("orders cannot record who reads this"), "\(html)")
            #expect(!html.contains("answers 503"))
        }
    }

    @Test("No session begins as the subject by which the desk reads its board")
    func subject() async throws {
        try await DeskUnderTest.run { desk, client in
            let token = try await desk.token(Identity.boardSubject)
            let answer = try await client.execute(
                uri: "/v1/sign-in-links", method: .post, headers: [.authorization: "Bearer \(token)"])
            #expect(answer.status == .notFound)
        }
    }
}
