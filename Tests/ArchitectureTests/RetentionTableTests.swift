import Foundation
import Testing

@Suite("The table of what is kept")
struct RetentionTableTests {
    /// A row that names the constant of its time.
    private struct Row {
        let kept: String
        let constant: String
        let file: String
    }

    private static func rows() throws -> [Row] {
        let page = try String(contentsOf: Project.root.appending(path: "docs/privacy.md"), encoding: .utf8)
        return page.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 6, let place = cells[5].wholeMatch(of: /`(\w+)` in `([^`]+)`/) else { return nil }
            return Row(kept: cells[3], constant: String(place.output.1), file: String(place.output.2))
        }
    }

    @Test("Each time of the table is that of the code")
    func times() throws {
        let rows = try Self.rows()
        #expect(rows.count > 15)
        for row in rows {
            let source = try String(contentsOf: Project.root.appending(path: row.file), encoding: .utf8)
            let declaration = try Regex("static let \(row.constant)(?:: \\w+)? = ([0-9_.]+)")
            let found = try #require(try declaration.firstMatch(in: source), "\(row.file): no \(row.constant)")
            let text = try #require(found.output[1].substring).replacing("_", with: "")
            var number = try #require(Double(text))
            var unit = row.constant.hasSuffix("Days") ? "day" : "hour"
            if row.constant.hasSuffix("Seconds") { (number, unit) = (number / 3_600, "hour") }
            let time = "\(Int(number)) \(unit)\(number == 1 ? "" : "s")"
            #expect(row.kept == time || row.kept.hasPrefix("\(time) "), "\(row.constant) is \(time): \(row.kept)")
        }
    }
}
