import Foundation
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import Synchronization
import TestSupport
import Testing
import WireCoding

@Suite("Chunks of a person's archive")
struct ExportPersonTests {
    private static func request(cursor: String? = nil) throws -> ExportRequest {
        ExportRequest(
            request: UUID(), person: .customer(try #require(CustomerID(rawValue: "mette"))), store: nil,
            deliveries: [.init(delivery: DeliveryID(UUID()), episode: 1)], isLast: true, cursor: cursor)
    }

    /// Rows of a section with records of some bytes each, as many as one reading returns.
    private static func source(
        _ section: ArchiveSection, rows: Int, bytes: Int, isVisible: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) -> ExportSource {
        ExportSource(section) { _, after in
            let first = (Int(after) ?? 0) + 1
            guard first <= rows else { return [] }
            return (first...min(rows, first + ExportSource.rowsMax - 1)).map { number in
                let text = "{\"number\":\(number),\"text\":\"\(String(repeating: "x", count: bytes))\"}"
                let digits = "\(number)"
                let key = String(repeating: "0", count: 10 - digits.count) + digits
                return ExportedRow(key: key, record: isVisible(number) ? text : nil)
            }
        }
    }

    @Test("A chunk ends once its records are long enough, and the chunks together have every record once, in order")
    func bounded() async throws {
        let export = ExportPerson([
            Self.source(.orders, rows: 0, bytes: 0), Self.source(.pushes, rows: 1_000, bytes: 2_000),
            Self.source(.notes, rows: 3, bytes: 10),
        ])
        var (cursor, chunks): (String?, [ExportChunk]) = (nil, [])
        repeat {
            let chunk = try await export(Self.request(cursor: cursor))
            chunks.append(chunk)
            cursor = chunk.next
        } while cursor != nil && chunks.count < 100
        let pushes = chunks.filter { $0.section == .pushes }
        #expect(pushes.count >= 1_000 * 2_000 / ExportChunk.bytesMax)
        for chunk in pushes {
            #expect(chunk.records.dropLast().reduce(0) { $0 + $1.utf8.count } < ExportChunk.bytesMax)
        }
        let numbers = pushes.flatMap(\.records).map { $0.split(separator: ",")[0] }
        #expect(numbers == (1...1_000).map { "{\"number\":\($0)" })
        #expect(chunks.filter { $0.section == .notes }.flatMap(\.records).count == 3)
        #expect(chunks.last == ExportChunk(section: nil, records: [], next: nil))
    }

    @Test("Rows that are not the person's to see are passed over, also where a whole reading has no other")
    func hidden() async throws {
        let export = ExportPerson([Self.source(.timeline, rows: 900, bytes: 10) { $0 > 700 }])
        let records = try await exportedRecords(Self.request(), by: export)
        #expect(records[.timeline]?.count == 200)
    }

    @Test("A reading without a record of the person's is an answer, from which the next one goes on")
    func searched() async throws {
        let export = ExportPerson([Self.source(.timeline, rows: 900, bytes: 10) { $0 > 700 }])
        let first = try await export(Self.request())
        #expect(first.section == nil && first.records.isEmpty && first.fault == nil && first.next != nil)
        let second = try await export(Self.request(cursor: first.next))
        #expect(second.next != nil && second.next != first.next)
    }

    @Test("A courier's request is answered with couriers' sections alone, and a customer's with customers'")
    func persons() async throws {
        let export = ExportPerson([
            Self.source(.notes, rows: 1, bytes: 1), Self.source(.duties, rows: 2, bytes: 1),
            Self.source(.phones, rows: 1, bytes: 1),
        ])
        let courier = ExportRequest(
            request: UUID(), person: .courier(try #require(CourierID(rawValue: "jonas"))), store: nil, deliveries: [],
            isLast: true, cursor: nil)
        #expect(try await exportedRecords(courier, by: export).mapValues(\.count) == [.duties: 2, .phones: 1])
        #expect(try await exportedRecords(Self.request(), by: export).mapValues(\.count) == [.notes: 1])
        // Another kind's section is no place to go on.
        #expect(try await export(Self.request(cursor: "duties/1")).fault != nil)
        let customers = try #require(Self.request().person).sections
        let couriers = try #require(courier.person).sections
        #expect(Set(customers).intersection(couriers) == [.person])
        #expect(Set(customers).union(couriers) == Set(ArchiveSection.allCases))
    }

    @Test(
        "A request of no person, or of two, is refused",
        arguments: ["", #""customer":"a","courier":"b","#, #""customer":"a","#])
    func named(members: String) throws {
        let json = """
            {\(members)"schema":1,"request":"\(UUID())","deliveries":[],"isLast":true}
            """
        let request = try WireJSON.decode(ExportRequest.self, from: Data(json.utf8))
        #expect((request.fault == nil) == (members == #""customer":"a","#))
        #expect((request.person == nil) == (request.fault != nil))
    }

    @Test("A record that is longer than a chunk is one chunk")
    func long() async throws {
        let export = ExportPerson([Self.source(.proofs, rows: 2, bytes: ExportChunk.bytesMax * 2)])
        let first = try await export(Self.request())
        #expect(first.records.count == 1)
        #expect(try await export(Self.request(cursor: first.next)).records.count == 1)
    }

    @Test("A chunk at its largest is below the broker's payload, with every character escaped once more")
    func largest() async throws {
        let quotes = String(repeating: "\"\\/", count: ExportChunk.textBytesMax / 3)
        struct Record: Codable { let content, delivery: String }
        // A text of the greatest length, with each character escaped in its record already.
        let long = Record(content: quotes, delivery: String(repeating: "x", count: 4_096))
        let record = String(decoding: try WireJSON.encode(long), as: UTF8.self)
        let filler = "\"" + String(repeating: "\\\"", count: (ExportChunk.bytesMax - 3) / 2) + "\""
        let export = ExportPerson([
            ExportSource(.pushes) { _, after in
                after.isEmpty ? [ExportedRow(key: "1", record: filler), ExportedRow(key: "2", record: record)] : []
            }
        ])
        let chunk = try await export(Self.request())
        #expect(chunk.records.count == 2)
        #expect(try WireJSON.encode(chunk).count < 1_048_576 * 3 / 4)
    }

    @Test("A cursor of no section is refused", arguments: ["", "pushes", "nothing/1", "orders/1"])
    func cursors(cursor: String) async throws {
        let export = ExportPerson([Self.source(.pushes, rows: 1, bytes: 1)])
        #expect(try await export(Self.request(cursor: cursor)).fault != nil)
    }

    @Test("The database returns no more rows than a chunk has", .tags(.integration), .postgresSchema)
    func rows() async throws {
        try await withPool(TestPostgres.current) { pool in
            let rows: SQL = """
                SELECT lpad(number::text, 5, '0') AS key,
                    jsonb_build_object('number', number, 'text', repeat('x', 20000), 'none', NULL) AS record
                FROM generate_series(1, 50) AS number
                """
            let counts = Mutex<[Int]>([])
            let source = ExportSource(.events, on: pool) { _ in rows }
            let counting = ExportSource(.events) { request, after in
                let read = try await source.read(request, after)
                counts.withLock { $0.append(read.count) }
                return read
            }
            let records = try await exportedRecords(Self.request(), by: ExportPerson([counting]))
            #expect(records[.events]?.count == 50)
            #expect(records[.events]?.first?.contains("none") == false)
            #expect(counts.withLock { $0.max() ?? 0 } <= ExportChunk.bytesMax / 20_000 + 1)
        }
    }
}
