import Testing

@testable import LiveActivity

@Suite("Messages")
struct MessageTests {
    private static let polish = Language(
        code: "pl",
        texts: [
            "format.date": "{day}.{month}", "format.time_in_sentence": "o {clock}",
            "format.duration": "{hours}:{minutes}", "format.decimal_mark": ",", "format.group_mark": " ",
            "format.amount": "{digits} {currency}",
        ])

    private func text(_ source: String, _ values: [String: String] = [:], hasReader: Bool = true) throws -> String? {
        let reading = hasReader ? Reading(timeZone: "Europe/Copenhagen", now: Sample.sixPM) : nil
        return TextCatalogue(Self.polish).text(try Message(source), values, reading)
    }

    @Test(
        "A count has the form of its category, or of its number",
        arguments: [
            (0, "brak toreb"), (1, "1 torba"), (3, "3 torby"), (5, "5 toreb"), (13, "13 toreb"), (22, "22 torby"),
        ])
    func plurals(count: Int, expected: String) throws {
        let source = "{bags, plural, =0 {brak toreb} one {# torba} few {# torby} many {# toreb} other {# torby}}"
        #expect(try text(source, ["bags": String(count)]) == expected)
    }

    @Test("A choice is by value, by its absence, or other")
    func selects() throws {
        let source = "{vehicle, select, car {car} none {on foot} other {by {vehicle}}}"
        #expect(try text(source, ["vehicle": "car"]) == "car")
        #expect(try text(source, ["vehicle": "tram"]) == "by tram")
        #expect(try text(source) == "on foot")
        #expect(try text(source, ["vehicle": "none"]) == "by none", "a value is never taken for none")
        #expect(try text("{vehicle, select, other {by {vehicle}}}") == nil)
    }

    @Test("A choice whose values are missing gives way to none, with times for no reader among them")
    func none() throws {
        let source = "No news{since, select, none {} other { since {since, time, long}}}"
        let since = ["since": String(Sample.sixPM - 600)]
        #expect(try text(source, since) == "No news since o 17:50")
        #expect(try text(source, since, hasReader: false) == "No news")
        #expect(try text("{since, time}", since, hasReader: false) == nil)
        let refund = "gone{refund, select, none {} other {, {refund, number, currency}}}"
        #expect(try text(refund, ["refund": "123456 DKK"]) == "gone, 1 234,56 DKK")
        #expect(try text(refund, ["refund": "much"]) == "gone")
        #expect(try text("{late, duration}", ["late": "125"]) == "2:5")
    }

    @Test("A message inside another counts its own number")
    func nested() throws {
        let source = "{a, plural, one {# of {b, plural, one {# bag} other {# bags}}} other {#/{b, plural, other {#}}}}"
        #expect(try text(source, ["a": "1", "b": "7"]) == "1 of 7 bags")
        #expect(try text(source, ["a": "2", "b": "7"]) == "2/7")
        #expect(try Message(source).names == ["a", "b"])
    }

    @Test(
        "An apostrophe quotes braces, and otherwise stands for itself",
        arguments: [
            ("the courier's", "the courier's"), ("it''s", "it's"), ("'{a}'", "{a}"), ("#1", "#1"), ("end'", "end'"),
            ("'}'{a}", "}x"),
        ])
    func quotes(source: String, expected: String) throws { #expect(try text(source, ["a": "x"]) == expected) }

    @Test(
        "What is no message is refused with its place",
        arguments: [
            ("{a", MessageFault.Reason.unclosed, 2), ("a}", .unexpected("}"), 1), ("{}", .unexpected("}"), 1),
            ("{a, clock}", .unknownKind("clock"), 10), ("{a, number}", .unknownKind("number"), 11),
            ("{a, plural, one {#}}", .noBranchOther, 20), ("{a, select}", .noBranchOther, 11),
            ("{a, select, other {b}", .unclosed, 21), ("'{a", .unclosed, 1), ("{a b}", .unexpected("b"), 3),
            ("{a, select, other b}", .unclosed, 18),
        ])
    func faults(source: String, reason: MessageFault.Reason, offset: Int) {
        #expect(throws: MessageFault(reason: reason, offset: offset)) { try Message(source) }
    }

    @Test(
        "A text of somebody's own may use what the key's text has, in the forms of the language",
        arguments: [
            ("da accepted", "Hos {store}", nil), ("da accepted", "", MessageFault(reason: .empty, offset: 0)),
            ("da accepted", "Hos {stroe}", MessageFault(reason: .unknownValue("stroe"), offset: 4)),
            (
                "da stops_before", "{stops, plural, one {1} few {to} other {#}}",
                MessageFault(reason: .unknownForm("few"), offset: 24)
            ),
            ("pl stops_before", "{stops, plural, one {1} few {to} other {#}}", nil),
            ("da accepted", "{store", MessageFault(reason: .unclosed, offset: 6)),
            ("da accepted", "{store, time}", MessageFault(reason: .otherKind("store"), offset: 0)),
            ("da delivered", "Leveret {at}", MessageFault(reason: .otherKind("at"), offset: 8)),
            ("da delivered", "Leveret {at, time}", MessageFault(reason: .maybeAbsent("at"), offset: 8)),
            ("da delivered", "Leveret{at, select, none {} other { {at, time, long}}}", nil),
            (
                "da accepted", String(repeating: "{store, select, other {", count: 17),
                MessageFault(reason: .tooDeep, offset: 391)
            ),
        ])
    func checks(key: String, text: String, fault: MessageFault?) {
        let parts = key.split(separator: " ").map(String.init)
        var found: MessageFault?
        do { try Words(locale: parts[0]).catalogue.check(text, for: "phrase.\(parts[1])") } catch { found = error }
        #expect(found == fault)
    }

    @Test("English that stands in for another language counts as English does")
    func standsIn() {
        let (russian, japanese) = (TextCatalogue(language: "ru"), TextCatalogue(language: "ja"))
        #expect(russian("label.items", ["items": "21"]) == "21 items")
        #expect(japanese("label.items", ["items": "1"]) == "1 item")
        let own = russian.adding(["label.items": "{items, plural, one {# x} few {# y} many {# z} other {# w}}"])
        #expect(own("label.items", ["items": "21"]) == "21 x" && own("label.items", ["items": "22"]) == "22 y")
    }

    @Test("A name in a text from right to left keeps its own direction, and moves no other word")
    func directions() throws {
        let arabic = TextCatalogue(language: "ar").adding(["a": "من {store} 7"])
        #expect(arabic("a", ["store": "Nordhavn"]) == "من \u{2068}Nordhavn\u{2069} 7")
        #expect(arabic("a", ["store": "No\u{2069}rd"]) == "من \u{2068}Nord\u{2069} 7", "it cannot end its isolate")
        #expect(arabic("a", ["store": "42"]) == "من 42 7")
        #expect(arabic.direction.rawValue == "rtl" && TextCatalogue.english.direction.rawValue == "ltr")
    }

    @Test("A name from right to left in another text is isolated, once, and no other name is")
    func isolates() {
        let english = TextCatalogue.english.adding(["a": "{a} · {b}"])
        #expect(
            english("a", ["a": "\u{5D7}\u{5DC}\u{5D1}", "b": "\u{645}\u{62D}\u{645}\u{62F}"])
                == "\u{2068}\u{5D7}\u{5DC}\u{5D1}\u{2069} · \u{2068}\u{645}\u{62D}\u{645}\u{62F}\u{2069}")
        #expect(english("a", ["a": "Nordhavn", "b": "Ærø 渋谷 42"]) == "Nordhavn · Ærø 渋谷 42")
        let counted = "2 × \u{2068}\u{5D7}\u{5DC}\u{5D1}\u{2069}"
        #expect(english("a", ["a": counted, "b": "x"]) == "\(counted) · x")
        let joined = Phrase([
            (.reasonDamaged, [:]), (.nextStoreContacts, ["store": "\u{5D7}\u{5DC}\u{5D1}"]),
        ])
        #expect(joined.text.hasSuffix(" · \u{2068}\u{5D7}\u{5DC}\u{5D1}\u{2069} will contact you"))
        #expect(Phrase(.enRoute, ["courier": "\u{5D7}"]).values == ["courier": "\u{5D7}"])
    }

    @Test("Values are never read as messages")
    func values() throws { #expect(try text("{a} {b}", ["a": "{b}", "b": "'#{a, time}"]) == "{b} '#{a, time}") }

    @Test("A text that a catalogue lacks shows its key")
    func missing() {
        let catalogue = Words(locale: "da").catalogue.adding(["greeting": "Hej {name}"])
        #expect(catalogue("greeting", ["name": "Mira"]) == "Hej Mira")
        #expect(catalogue("greeting") == "greeting" && catalogue("parting") == "parting")
        #expect(catalogue("phase.picking") == "Plukkes" && catalogue.language == "da")
    }
}
