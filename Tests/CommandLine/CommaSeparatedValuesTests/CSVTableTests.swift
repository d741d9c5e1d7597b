import Foundation
import SeededRandom
import Testing

@testable import CommaSeparatedValues

extension CSVRecords {
    /// The fields of every record of a text.
    static func all(of text: String) throws -> [[String]] {
        try Data(text.utf8).withUnsafeBytes { bytes in
            var records = CSVRecords(bytes)
            var all: [[String]] = []
            while let record = try records.next() { all.append(record.fields) }
            return all
        }
    }
}

@Suite("Comma-separated values")
struct CSVTableTests {
    @Test(
        "Records are those of RFC 4180",
        arguments: [
            ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]), ("a,b\r\nc,d", [["a", "b"], ["c", "d"]]),
            ("a\rb\r", [["a"], ["b"]]), ("\"a,b\",c", [["a,b", "c"]]), ("\"a \"\"b\"\"\",c", [["a \"b\"", "c"]]),
            ("\"a\r\nb\",c\nd,e", [["a\r\nb", "c"], ["d", "e"]]), ("a,,\n,\n", [["a", "", ""], ["", ""]]),
            ("\"\",x", [["", "x"]]), ("a,\"\"", [["a", ""]]), ("5\" nail,b", [["5\" nail", "b"]]),
            ("\u{FEFF}a\n\n\nb", [["a"], ["b"]]), ("", []), ("\n\r\n", []), ("Ærø,渋谷", [["Ærø", "渋谷"]]),
        ] as [(String, [[String]])])
    func records(text: String, expected: [[String]]) throws {
        #expect(try CSVRecords.all(of: text) == expected)
    }

    @Test(
        "A quoted field that does not end, or goes on after its quote, is a fault with its line",
        arguments: [("a\n\"b\nc", 2), ("a\nb\n\"c\"d", 3), ("\"a\r\nb\"x", 2)])
    func faults(text: String, line: Int) {
        let fault = #expect(throws: CSVFault.self) { try CSVRecords.all(of: text) }
        #expect(fault?.line == line)
    }

    @Test("Fields are found by the header's names, and a row has the line of the file that it starts on")
    func table() throws {
        let table = try CSVTable(Data("Trip_ID, lat ,note\r\n\r\na,55.7,\"one\ntwo\"\nb, inf\n".utf8))
        #expect(table.columns == ["trip_id", "lat", "note"])
        var rows: [CSVTable.Row] = []
        try table.forEachRow { rows.append($0) }
        #expect(rows.map(\.line) == [3, 5])
        #expect(rows[0].text("trip_id") == "a" && rows[0].number("lat") == 55.7 && rows[0].text("note") == "one\ntwo")
        #expect(rows[1].number("lat") == nil && rows[1].text("note") == nil)
        #expect(rows[1].has("lat") && !rows[1].has("note") && !rows[1].has("other"))
        #expect(try CSVTable(Data()).columns.isEmpty)
    }

    @Test("What is written with quotes is read as it was", arguments: 1...50 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let alphabet = ["a", ",", "\"", "\n", "\r", "é", " ", "\r\n", "1"]
        let table = (0..<5).map { _ in
            (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (0..<Int.random(in: 0...6, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "" }
                    .joined()
            }
        }
        let text = table.map { row in
            row.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",") + "\r\n"
        }.joined()
        let read = try CSVRecords.all(of: text)
        #expect(read.map { $0.map { Array($0.utf8) } } == table.map { $0.map { Array($0.utf8) } })
    }
}
