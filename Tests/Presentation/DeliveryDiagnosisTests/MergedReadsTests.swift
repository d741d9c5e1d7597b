import DoorstepAPI
import Foundation
import Testing

@testable import DeliveryDiagnosis

@Suite("Merged reads of personal data")
struct MergedReadsTests {
    /// A service's log, newest first; its pages have at most 50 rows.
    private struct Log {
        let reads: [PersonalReadBody]

        init(_ times: [Int]) {
            reads = times.sorted(by: >).map { time in
                let at = Date(timeIntervalSince1970: Double(time))
                return PersonalReadBody(
                    id: UUID().uuidString.lowercased(), at: at, lastAt: at, role: "operator", by: "ada", store: nil,
                    operation: "getDelivery", kind: "drop_off", customers: [], deliveries: [], couriers: [], reads: 1,
                    objects: 1, traceID: nil)
            }
        }

        func page(after id: String?) -> PersonalReadsBody {
            let start = id.flatMap { id in reads.firstIndex { $0.id == id }.map { $0 + 1 } } ?? 0
            let page = Array(reads[start...].prefix(50))
            return PersonalReadsBody(reads: page, next: start + page.count < reads.count ? page.last?.id : nil)
        }
    }

    @Test("Pages of several services have every read once, newest first, also where times are equal")
    func pages() throws {
        let logs = [
            "orders": Log((0..<130).map { $0 / 40 }), "desk": Log(Array(repeating: 2, count: 70)), "partners": Log([]),
            "courier-eta": Log([9]),
        ]
        var seen: [MergedReads.Row] = []
        var cursor = ReadsCursor()
        var isLast = false
        while !isLast {
            let page = MergedReads(
                logs.sorted { $0.key < $1.key }.map { ($0.key, $0.value.page(after: cursor.ids[$0.key])) },
                after: cursor)
            #expect(page.rows.count <= MergedReads.rowsMax)
            seen += page.rows
            isLast = page.next == nil
            // Through its text, as a link or an option has it.
            cursor = try #require(ReadsCursor(page.next?.description ?? ""))
        }
        #expect(seen.count == 201)
        #expect(Set(seen.map(\.read.id)).count == 201)
        let times = seen.map(\.read.at)
        #expect(times == times.sorted(by: >))
    }

    @Test("A service without an answer is in no later page, which names it")
    func away() throws {
        let (orders, partners) = (Log(Array(0..<80)), Log(Array(0..<80)))
        let first = MergedReads([("orders", orders.page(after: nil))], away: ["partners"])
        let next = try #require(first.next)
        let cursor = try #require(ReadsCursor(next.description))
        #expect(cursor.away == ["partners"] && cursor.ids.keys.sorted() == ["orders"])
        let begun = MergedReads([("orders", orders.page(after: nil)), ("partners", partners.page(after: nil))])
        let left = MergedReads(
            [("orders", orders.page(after: begun.next?.ids["orders"]))], away: ["partners"],
            after: try #require(begun.next))
        #expect(left.next?.away == ["partners"] && left.next?.ids["partners"] == nil)
    }

    @Test(
        "A text that no page has made is no cursor", arguments: ["orders", "orders:1", "orders:1:2", ":", "orders:--"])
    func cursors(text: String) { #expect(ReadsCursor(text) == nil) }

    @Test("The persons of a read are its first ids and the number of others")
    func persons() throws {
        let read = PersonalReadBody(
            id: "", at: .distantPast, lastAt: .distantPast, role: "store", by: "nordhavn", store: nil,
            operation: "listDeliveries", kind: "drop_off", customers: ["mira", "ole"], deliveries: ["a", "b"],
            couriers: ["jonas"], reads: 1, objects: 2, traceID: nil)
        #expect(read.personsText() == "customer mira, customer ole, courier jonas, 2 more")
        #expect(read.personsText(first: ["b", "ole"]) == "customer ole, delivery b, customer mira, 2 more")
        #expect(read.personsText(idsMax: 9) == "customer mira, customer ole, courier jonas, delivery a, delivery b")
    }
}
