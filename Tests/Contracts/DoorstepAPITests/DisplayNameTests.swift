import DoorstepAPI
import Testing

@Suite("Names of operators")
struct DisplayNameTests {
    @Test(
        "People's names are taken, in any of their scripts",
        arguments: [
            "ada", "Ada Lovelace", "ada.lovelace@nordhavn.example", "Søren Kjærsgård-Æbeltoft", "Nguyễn Thị Minh Khai",
            "D\u{2019}Arcy O'Neil (Night shift)", "Иван Петров", "Γιώργος Παπαδόπουλος", "דנה כהן", "محمد علي",
            "佐藤 さくら",
            "김민준", "สมชาย ใจดี", "प्रिया शर्मा", "Ayşe Işık", "J. R. R. Tolkien 2",
        ])
    func accepted(name: String) { #expect(DisplayName(rawValue: name)?.rawValue == name) }

    @Test(
        "What could pass for another name on a screen is none",
        arguments: [
            // Letters of two scripts.
            "\u{430}da", "ad\u{3B1}", "\u{13AA}da", "ad\u{561}",
            // Of one script, each like a Latin letter.
            "\u{441}\u{43E}\u{440}\u{430}", "\u{39F}\u{3A4}\u{39F}",
            // Of Latin phonetics, full width, mathematics, click letters.
            "\u{251}da", "\u{FF41}\u{FF44}\u{FF41}", "\u{1D41A}da", "A\u{1C0}an",
            // Direction.
            "ada\u{202E}", "\u{200F}ada", "\u{2066}ada\u{2069}", "a\u{61C}da",
            // Nothing to be seen.
            "Ada\u{200B}", "A\u{AD}da", "\u{FEFF}ada", "ada\u{2060}", "ada\u{3164}", "ad\u{34F}a", "ada\u{FE0F}",
            "a\u{200D}da", "ada\u{E0061}", "ada\u{2800}", "ada\u{115F}",
            // Spaces of other kinds and places.
            " ada", "ada ", "ada  lovelace", "ada\u{A0}lovelace", "ada\u{2003}lovelace", "ada\nlovelace",
            "ada\tlovelace",
            // What a subject or a sentence around it has.
            "oidc:login.example.com#u1", "ada;", "<b>ada</b>", "ada \u{2192} bo", "ada\"",
            // Marks on marks, none on a letter, digits of another script, pictures, nothing.
            "a\u{334}\u{335}\u{336}da", "\u{301}ada", "ada\u{669}", "ada \u{1F600}", "", "-", "12",
            String(repeating: "a", count: 65),
        ])
    func refused(name: String) { #expect(DisplayName(rawValue: name) == nil) }

    @Test("A name is kept in one form, however its letters were composed")
    func form() {
        #expect(DisplayName(rawValue: "Zoe\u{308}")?.rawValue.unicodeScalars.count == 3)
        #expect(DisplayName(rawValue: "Zoe\u{308}") == DisplayName(rawValue: "Zo\u{EB}"))
    }
}
