import BrowserSupport
import TestSupport
import Testing

@Suite("Accessibility of a page", .tags(.integration), .timeLimit(.minutes(5)))
struct AccessibilityTests {
    @Test("A picture without a text breaks a rule, and once it has one the page breaks none")
    func picture() async throws {
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/picture")
            let violations = try await page.violations()
            #expect(violations.map(\.id) == ["image-alt"])
            #expect(violations.first?.targets == ["#door"])
            #expect(violations.first?.help.isEmpty == false)
            try await page.execute("document.getElementById('door').alt = 'A door'")
            #expect(try await page.violations().isEmpty)
        }
    }

    @Test("A page that breaks no rule has no violations")
    func form() async throws {
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/form")
            let violations = try await page.violations()
            #expect(violations.isEmpty, "\(violations)")
        }
    }
}
