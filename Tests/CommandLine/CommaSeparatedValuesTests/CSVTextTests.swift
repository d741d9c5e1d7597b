import Testing

@testable import CommaSeparatedValues

@Suite("Written comma-separated values")
struct CSVTextTests {
    @Test("Commas, quotes and line breaks are quoted, and read as they were")
    func roundTrips() throws {
        let rows = [["a", "b,c", "say \"hi\""], ["two\r\nlines", "one\nmore", ""]]
        let text = CSVText(rows).text
        #expect(text == "a,\"b,c\",\"say \"\"hi\"\"\"\r\n\"two\r\nlines\",\"one\nmore\",\r\n")
        #expect(try CSVRecords.all(of: text) == rows)
    }

    @Test(
        "A field that a spreadsheet would run as a formula is text",
        arguments: [
            "=SUM(A1)", "+1", "-1", "@cmd", " =1", "\t=1", "=\u{301}1", "=HYPERLINK(\"http://x.example\",\"y\")",
        ])
    func formulas(field: String) throws {
        let read = try CSVRecords.all(of: CSVText([[field]]).text)
        #expect(read == [["'" + field]])
    }

    @Test("Other fields are as they were", arguments: ["Ærø", "1=1", "a-b", "5", "'quoted'"])
    func others(field: String) {
        #expect(CSVText([[field]]).text == field + "\r\n")
    }
}
