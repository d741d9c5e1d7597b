import Foundation
import OrderDomain
import Testing

@Suite("docs/statuses.md")
struct StatusDiagramTests {
    @Test("The diagram has an edge where the type has one, and nowhere else")
    func edges() throws {
        let drawn = try drawnEdges()
        var expected: Set<String> = ["preparing --> picked_up", "preparing --> cancelled"]
        for store in StoreStatus.allCases {
            for next in StoreStatus.allCases
            where (try? DeliveryStatus.preparing(store, .unassigned).moved(to: next.code)) != nil {
                expected.insert("\(store.rawValue) --> \(next.rawValue)")
            }
        }
        for courier in CourierStatus.allCases {
            for next in CourierStatus.allCases
            where (try? DeliveryStatus.preparing(.placed, courier).moved(to: next.code)) != nil {
                expected.insert("\(courier.rawValue) --> \(next.rawValue)")
            }
        }
        for tail in TailStatus.allCases {
            // A cancel after pickup is drawn as the return it asks for.
            for next in TailStatus.allCases
            where next != .cancelled && DeliveryStatus.handedOver(tail).allowed.contains(next.code) {
                expected.insert("\(tail.rawValue) --> \(next.rawValue)")
            }
            if tail.isEnd { expected.insert("\(tail.rawValue) --> [*]") }
        }
        expected.formUnion(["[*] --> placed", "[*] --> unassigned"])
        #expect(drawn.subtracting(expected).sorted() == [])
        #expect(expected.subtracting(drawn).sorted() == [])
    }

    private func drawnEdges() throws -> Set<String> {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/statuses.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let diagram = try #require(
            text.components(separatedBy: "```mermaid").dropFirst().first?.components(separatedBy: "```").first)
        let lines = diagram.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        return Set(lines.filter { $0.contains("-->") }.map { $0.components(separatedBy: ":")[0] })
    }
}
