import Foundation
import Messages
import Testing

@testable import Orders

@Suite("Pages of archives")
struct ArchivePageTests {
    @Test(
        "A record that is no object is shown as it is, escaped, in tables and in lists",
        arguments: [
            ArchiveSection.notes, .deliveries,
        ])
    func unreadable(section: ArchiveSection) {
        var page = ArchivePage(of: .customer(OrdersUnderTest.customer))
        _ = page.begin(section)
        let text = page.text(of: "<script>no record")
        #expect(text.contains("&lt;script&gt;no record") && !text.contains("<script"))
        #expect(!page.end(section).contains("Nothing is stored"))
    }

    @Test("Every column of a table is a field of the published schema, and every section has records there")
    func columns() throws {
        struct Schema: Decodable {
            struct Record: Decodable { let properties: [String: Property] }
            struct Property: Decodable {}

            let records: [String: Record]
            private enum CodingKeys: String, CodingKey { case records = "$defs" }
        }
        let path = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../docs/privacy/export.schema.json").standardizedFileURL
        let schema = try JSONDecoder().decode(Schema.self, from: Data(contentsOf: path))
        for section in ArchiveSection.allCases {
            let fields = try #require(schema.records[section.rawValue], "\(section)").properties.keys
            let unknown = Set(section.columns ?? []).subtracting(fields)
            #expect(unknown.isEmpty, "\(section): \(unknown)")
            #expect(section.columns.map { $0.count == fields.count } ?? true, "\(section)")
        }
    }
}
