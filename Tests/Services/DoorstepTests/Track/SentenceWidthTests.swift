import CommandOutput
import Testing

@testable import Doorstep

@Suite("Sentences on a narrow terminal")
struct SentenceWidthTests {
    @Test("They are broken between words, and nothing is cut off", arguments: [40, 60, 200])
    func words(columns: Int) {
        let text =
            "Nordhavn, order G-1042, bag 1 of 2: Mira is on the way. Arrives between 18:24 and 18:31. 2 stops before you."
        let lines = TerminalSize(columns: columns, rows: 24).broken(text).split(separator: "\n")
        #expect(lines.allSatisfy { String($0).columns <= columns })
        #expect(lines.joined(separator: " ") == text)
    }
}
