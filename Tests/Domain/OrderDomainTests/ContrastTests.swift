import Foundation
import OrderDomain
import SeededRandom
import Testing

@Suite("A shop's colours and their contrast")
struct ContrastTests {
    private func colours(_ count: Int) -> [ShopColour] {
        var random = SeededGenerator(seed: 20_261_128)
        return (0..<count).map { _ in
            ShopColour(
                red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random),
                blue: .random(in: 0...255, using: &random))
        }
    }

    @Test("A colour is a # and six hexadecimal digits, and is written in lower case")
    func forms() throws {
        for text in ["#0A6b70", "#000000", "#ffffff"] {
            #expect(try #require(ShopColour(text)).description == text.lowercased())
        }
        for text in ["", "#", "0a6b70", "#0a6b7", "#0a6b700", "#0a6b7g", "#+a6b70", "red", "#0a6b70;", "#٠a6b70"] {
            #expect(ShopColour(text) == nil, "\(text)")
        }
    }

    @Test(
        "The contrast is that of WCAG",
        arguments: [
            ("#000000", "#ffffff", 21.0), ("#ffffff", "#ffffff", 1), ("#777777", "#ffffff", 4.478),
            ("#0000ff", "#ffffff", 8.592), ("#ff0000", "#ffffff", 3.998), ("#0b62c4", "#f4f4f1", 5.356),
        ])
    func known(one: String, other: String, ratio: Double) throws {
        let (one, other) = (try #require(ShopColour(one)), try #require(ShopColour(other)))
        #expect(abs(one.contrast(to: other) - ratio) < 0.001, "\(one.contrast(to: other))")
        #expect(one.contrast(to: other) == other.contrast(to: one))
    }

    @Test(
        "Of 1,000 colours each gets an accepted one, and no lightness in between is accepted",
        arguments: PageAppearance.allCases)
    func nearest(appearance: PageAppearance) {
        var accepted = 0
        for colour in colours(1_000) {
            let nearest = appearance.nearest(to: colour)
            #expect(appearance.accepts(nearest))
            if appearance.accepts(colour) {
                accepted += 1
                #expect(nearest == colour)
                continue
            }
            let (start, end) = (colour.lightness, nearest.lightness)
            #expect(appearance == .light ? end < start : end > start, "\(colour) \(nearest)")
            // The lightness of a rounded colour may be one step from the one that it was made of.
            let between = appearance == .light ? (end + 2)..<max(start, end + 2) : (start + 1)..<max(end - 1, start + 1)
            #expect(!between.contains { appearance.accepts(colour.with(lightness: $0)) }, "\(colour) \(nearest)")
        }
        #expect((50...950).contains(accepted))
    }

    @Test("Of grays the nearest are those that a card's palette is tested with")
    func grays() {
        let gray = ShopColour(red: 124, green: 124, blue: 124)
        #expect(PageAppearance.light.nearest(to: gray) == ShopColour("#6f6f6f"))
        #expect(PageAppearance.dark.nearest(to: gray) == ShopColour("#858585"))
    }

    @Test("Another lightness keeps the hue and the saturation, and the own one is the colour itself")
    func lightness() throws {
        for colour in colours(1_000) {
            #expect(colour.with(lightness: colour.lightness) == colour)
            #expect(colour.with(lightness: 0) == ShopColour(red: 0, green: 0, blue: 0))
            #expect(colour.with(lightness: 510) == ShopColour(red: 255, green: 255, blue: 255))
        }
        let teal = try #require(ShopColour("#0a6b70"))
        let lighter = teal.with(lightness: teal.lightness * 2)
        #expect(lighter == ShopColour("#14d6e0"))
    }

    @Test("The backgrounds are those of the pages' style sheet")
    func backgrounds() throws {
        let path = "../../../../Sources/Runtime/WebPages/Assets/own/pages.css"
        let css = try String(contentsOf: URL(filePath: #filePath).appending(path: path).standardized, encoding: .utf8)
        let parts = css.split(separator: "@media (prefers-color-scheme: dark)", maxSplits: 1)
        #expect(parts.count == 2)
        for (appearance, part) in zip([PageAppearance.light, .dark], parts) {
            let values = try ["paper", "surface", "tone-ink"].map { name in
                let match = try #require(
                    part.firstMatch(of: try Regex("--\(name): (#[0-9a-f]{6});", as: (Substring, Substring).self)))
                return try #require(ShopColour(String(match.output.1)))
            }
            #expect(appearance.neighbours == values)
            // A page without a face is held to the same.
            let tone = try #require(part.firstMatch(of: /--tone: (#[0-9a-f]{6});/))
            #expect(appearance.accepts(try #require(ShopColour(String(tone.output.1)))))
        }
    }
}
