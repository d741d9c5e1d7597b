import Testing

@testable import CommandOutput

@Suite("What a terminal can show")
struct TerminalAbilitiesTests {
    @Test(
        "A dumb terminal and a locale without UTF-8 get ASCII and no pictures; the first locale that is set decides",
        arguments: [
            ([:], true), (["TERM": "xterm"], true), (["TERM": "dumb", "LANG": "en_DK.UTF-8"], false),
            (["LC_ALL": "C", "LANG": "en_DK.UTF-8"], false), (["LC_ALL": "", "LANG": "da_DK.utf8"], true),
            (["LC_CTYPE": "C.UTF-8", "LANG": "C"], true), (["LANG": "POSIX"], false),
            (["LANG": "da_DK.ISO-8859-1"], false),
        ] as [([String: String], Bool)])
    func pictures(environment: [String: String], isAble: Bool) {
        let abilities = TerminalAbilities(environment: environment)
        #expect(abilities.hasPictures == isAble)
        #expect(abilities.text("Ærø → 3 × mælk…") == (isAble ? "Ærø → 3 × mælk…" : "Aeroe -> 3 x maelk..."))
    }

    @Test("In ASCII nothing is left that is not, and what was stays as it is")
    func ascii() {
        #expect("plain, 18:24 [1]".inASCII == "plain, 18:24 [1]")
        #expect("Café Ångström · 渋谷 ┌─┐".inASCII == "Cafe Aangstroem - ?? ???".replacing("oe", with: "o"))
        #expect("●━╌○ – “x”".inASCII.utf8.allSatisfy { $0 < 0x80 })
    }
}
