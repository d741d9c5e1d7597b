import Testing

@testable import CommandOutput

@Suite("Tables and named values")
struct TableTests {
    @Test("Each column is as wide as its widest cell, and no cell steers the terminal")
    func columns() {
        let table = Table(["ID", "NAME", "STATE"], [["1", "渋谷", "late"], ["10", "a\u{1B}b", ""]])
        #expect(table.lines == ["ID  NAME  STATE", "1   渋谷  late", "10  a b"])
    }

    @Test("A table wider than the terminal leaves columns out in order, names them, and then shortens the widest")
    func narrow() {
        func lines(_ columnsMax: Int?, _ leavingOut: [String]) -> [String] {
            Table(
                ["A", "B", "C"], [["aaaa", "bbbb", "cccc"]], columnsMax: columnsMax, leavingOut: leavingOut
            ).lines
        }
        let whole = ["A     B     C", "aaaa  bbbb  cccc"]
        #expect(lines(nil, ["B"]) == whole && lines(16, ["B"]) == whole)
        #expect(lines(15, ["B", "C"]) == ["A     C", "aaaa  cccc", "", "left out: B"])
        #expect(lines(4, ["B", "C"]) == ["A", "aaaa", "", "left out: B, C"])
        let long = Table(["A", "B"], [["abcdefgh", "x"]], columnsMax: 8)
        #expect(long.lines == ["A      B", "abcd…  x"])
    }

    @Test("Without values there is a sentence in place of the header, and each page that goes on is named")
    func empty() {
        func table(_ values: [Int], more: [String?] = []) -> String {
            Table(["NUMBER"], of: values, ifEmpty: "no numbers", more: more) { ["\($0)"] }.text
        }
        #expect(table([7]) == "NUMBER\n7")
        #expect(table([]) == "no numbers")
        #expect(table([7], more: [nil]) == "NUMBER\n7")
        #expect(
            table([], more: ["--cursor a\u{1B}", nil, "--cursor b"])
                == "no numbers\n\nmore: --cursor a \nmore: --cursor b")
    }

    @Test("Values begin in one column, and one without a text is left out")
    func named() {
        let values: [(name: String, text: String?)] = [("id", "1\n2"), ("longest", nil), ("state", "late")]
        #expect(NamedValues(values).text == "id     1 2\nstate  late")
        #expect(NamedValues(values, nameColumnsMin: 7).lines == ["id       1 2", "state    late"])
    }
}
