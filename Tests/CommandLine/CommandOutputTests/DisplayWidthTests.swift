import Testing

@testable import CommandOutput

@Suite("Columns of text")
struct DisplayWidthTests {
    @Test(
        "Text takes the columns that a terminal gives it",
        arguments: [
            ("", 0), ("Nordhavn", 8), ("Ærø", 3), ("e\u{301}", 1), ("渋谷", 4), ("ﾊﾝｶｸ", 4), ("ＡＢ", 4), ("한국", 4),
            ("●━╌○▶", 5), ("\u{1F6B2}", 2), ("❤\u{FE0F}", 2), ("18:24–18:31", 11), ("\u{200B}", 0),
        ])
    func columns(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test(
        "A name that is too long is shortened within its field",
        arguments: [
            ("Nordhavn", 8, "Nordhavn"), ("Nordhavn", 5, "Nord…"), ("渋谷駅前", 5, "渋谷…"), ("渋谷駅前", 4, "渋…"),
            ("Ab Cd", 4, "Ab…"), ("Nord", 0, ""), ("Nord", 1, "…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ])
    func shortened(text: String, columns: Int, result: String) {
        #expect(text.shortened(to: columns) == result)
        #expect(text.shortened(to: columns).columns <= columns)
    }

    @Test("Each line of a text breaks between words at a terminal's width, and nowhere off a terminal")
    func betweenWords() {
        let text = "Mira has left the store\n\n  Oats"
        #expect(text.wrappedBetweenWords(to: 10) == "Mira has\nleft the\nstore\n\n  Oats")
        #expect(text.wrappedBetweenWords(to: nil) == text)
    }

    @Test("Long text breaks at spaces, and in a word where there is none")
    func wrapped() {
        #expect("Mira has left the store".wrapped(to: 10, linesMax: 3) == ["Mira has", "left the", "store"])
        #expect("Mira has left the store".wrapped(to: 10, linesMax: 2) == ["Mira has", "left the…"])
        #expect("Speicherstadt".wrapped(to: 5, linesMax: 4) == ["Speic", "herst", "adt"])
        #expect("渋谷駅前店".wrapped(to: 5, linesMax: 4) == ["渋谷", "駅前", "店"])
        #expect("渋谷".wrapped(to: 1, linesMax: 2).count <= 2)
        #expect("".wrapped(to: 5, linesMax: 2).isEmpty)
    }
}
