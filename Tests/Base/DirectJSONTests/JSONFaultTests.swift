import DirectJSON
import Testing

@Suite("Where a text stops being JSON")
struct JSONFaultTests {
    @Test(
        "The first character that does not belong is named with its line and column",
        arguments: [
            (#"{"reference":"G-9",}"#, #"unexpected "}" at line 1, column 20"#),
            ("[1, 2,\n 3,\n]", #"unexpected "]" at line 3, column 1"#),
            (#"{"name": "Østerbro" "note": 1}"#, #"unexpected """ at line 1, column 21"#),
            (#"{'a': 1}"#, #"unexpected "'" at line 1, column 2"#),
            (#"{"a": 1} // all"#, #"unexpected "/" at line 1, column 10"#),
            (#"{"a": 01}"#, #"unexpected "1" at line 1, column 8"#),
            ("{\"a\": \"b\tc\"}", "unexpected U+0009 at line 1, column 9"),
            (#"{"a": 1"#, "it ends before it is complete, at line 1, column 8"),
            ("", "it ends before it is complete, at line 1, column 1"),
        ])
    func fault(text: String, words: String) {
        #expect(JSONFault(in: Array(text.utf8))?.description == words)
    }

    @Test(
        "A text that is JSON has none",
        arguments: [#"{"a": [1, -2.5e3, "x\n", true, null]}"#, "7", #""text""#, "\u{FEFF}{}", " [ ] \n"])
    func whole(text: String) {
        #expect(JSONFault(in: Array(text.utf8)) == nil)
    }
}
