import Testing

@testable import LiveActivity

@Suite("Plural rules")
struct PluralRuleTests {
    /// Categories of 0, 1, 2, 3, 5, 11, 21, 22, 100 and 1,000,000, as ICU has them.
    @Test(
        "A number's category is that of Unicode's CLDR",
        arguments: [
            ("en", "other one other other other other other other other other"),
            ("fr", "one one other other other other other other other many"),
            ("es", "other one other other other other other other other many"),
            ("pl", "many one few few many many many few many many"),
            ("ru", "many one few few many many one few many many"),
            ("ar", "zero one two few few many many many other other"),
            ("cs", "other one few few other other other other other other"),
            ("lt", "other one few few few other one few other other"),
            ("lv", "zero one other other other zero one other zero zero"),
            ("sl", "other one two few other other other other other other"),
            ("ja", "other other other other other other other other other other"),
            ("xx", "other one other other other other other other other other"),
        ])
    func categories(language: String, expected: String) {
        let rule = PluralRule(language: language)
        let found = [0, 1, 2, 3, 5, 11, 21, 22, 100, 1_000_000].map { rule($0).rawValue }
        #expect(found.joined(separator: " ") == expected)
    }
}
