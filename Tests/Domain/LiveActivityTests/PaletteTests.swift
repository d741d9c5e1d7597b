import Testing

@testable import LiveActivity

@Suite("The colours of a card")
struct PaletteTests {
    struct Appearance: CustomStringConvertible {
        let scheme: CardScheme
        let hasIncreasedContrast: Bool
        let reducesTransparency: Bool

        var description: String {
            "\(scheme)\(hasIncreasedContrast ? ", increased contrast" : "")"
                + (reducesTransparency ? ", reduced transparency" : "")
        }

        var palette: CardPalette {
            CardPalette(
                scheme, hasIncreasedContrast: hasIncreasedContrast, reducesTransparency: reducesTransparency)
        }

        static let all = CardScheme.allCases.flatMap { scheme in
            [false, true].flatMap { contrast in
                [false, true].map {
                    Appearance(scheme: scheme, hasIncreasedContrast: contrast, reducesTransparency: $0)
                }
            }
        }
    }

    /// Between these lies the luminance of every wallpaper.
    static let wallpapers: [CardColor] = [.black, .white]
    static let tints: [Tint] = [.blue, .teal, .indigo, .green, .mint, .purple, .orange, .cyan, .gray]

    @Test("Contrast is that of WCAG")
    func formula() {
        #expect(abs(CardColor.black.contrast(with: .white) - 21) < 0.001)
        // Examples that are widely published: the lightest gray of AA on white, and one that is just too light.
        #expect(CardColor(0x767676).contrast(with: .white) >= 4.5)
        #expect(CardColor(0x777777).contrast(with: .white) < 4.5)
        #expect(abs(CardColor(0x0000FF).contrast(with: .white) - 8.59) < 0.01)
        #expect(CardColor(0x000000, opacity: 0.5).drawn(over: .white).red == 0.5)
    }

    @Test("Every text has 4.5 to 1 on any wallpaper, and 7 to 1 where contrast is increased", arguments: Appearance.all)
    func texts(appearance: Appearance) {
        let palette = appearance.palette
        for wallpaper in Self.wallpapers {
            for text in CardText.allCases {
                let ground = palette.ground(of: text, on: wallpaper)
                let contrast = palette.color(of: text).drawn(over: ground).contrast(with: ground)
                #expect(contrast >= (appearance.hasIncreasedContrast ? 7 : 4.5), "\(text): \(contrast)")
            }
        }
    }

    @Test(
        "The least legible colours that a shop may have are marks of 3 to 1 on any wallpaper", arguments: Appearance.all
    )
    func marks(appearance: Appearance) throws {
        // The nearest accepted grays of a light and a dark page, as `ContrastTests` has them.
        let shop = GroceryDeliveryAttributes.Shop(light: "#6f6f6f", dark: "#858585")
        let mark = appearance.palette.mark(of: shop)
        guard appearance.scheme == .light || appearance.scheme == .dark else {
            #expect(mark == nil)
            return
        }
        for wallpaper in Self.wallpapers {
            let ground = appearance.palette.background.drawn(over: wallpaper)
            #expect(try #require(mark).contrast(with: ground) >= 3)
        }
    }

    @Test("Without a colour of its appearance, or with one of tomorrow's form, a shop has no mark")
    func noMark() {
        let palette = CardPalette(.light)
        #expect(palette.mark(of: nil) == nil && palette.mark(of: .init(light: nil, dark: "#858585")) == nil)
        for text in ["", "6f6f6f", "#6f6f6", "oklch(0.5 0.1 180)", "#6f6f6x"] {
            #expect(palette.mark(of: .init(light: text, dark: nil)) == nil)
        }
    }

    @Test("In the island every text has 4.5 to 1, and every symbol 3 to 1")
    func island() {
        for text in CardText.allCases {
            let ground = CardPalette.island.ground(of: text, on: .white)
            #expect(CardPalette.island.color(of: text).contrast(with: ground) >= 4.5, "\(text)")
        }
        #expect(CardPalette.island.background == .black)
        for tint in Self.tints {
            #expect(CardPalette.island.color(of: tint).contrast(with: .black) >= 3, "\(tint)")
        }
    }

    @Test("In shades of red, as StandBy draws a dark card at night, every text has 4.5 to 1 on black")
    func night() {
        for palette in [CardPalette(.tinted), CardPalette(.dark), CardPalette(.alwaysOn)] {
            for text in CardText.allCases {
                // A shade is as bright as the light that the red subpixels give of the whole.
                func red(_ color: CardColor) -> Double { color.luminance * CardColor(0xFF0000).luminance }
                let ground = palette.ground(of: text, on: .black)
                let contrast = (red(palette.color(of: text)) + 0.05) / (red(ground) + 0.05)
                #expect(contrast >= 4.5, "\(text): \(contrast)")
            }
        }
    }

    @Test("The line and the symbols have 3 to 1, which WCAG asks of graphics", arguments: Appearance.all)
    func graphics(appearance: Appearance) {
        let palette = appearance.palette
        for wallpaper in Self.wallpapers {
            let ground = palette.background.drawn(over: wallpaper)
            for tint in Self.tints + [Tint(rawValue: "of_tomorrow")] {
                #expect(palette.color(of: tint).contrast(with: ground) >= 3, "\(tint)")
            }
        }
    }

    @Test("Nothing shows through where transparency is reduced, contrast is increased or the display is always on")
    func transparency() {
        for appearance in Appearance.all {
            let isOpaque = appearance.palette.background.opacity == 1
            let mustBe =
                appearance.hasIncreasedContrast || appearance.reducesTransparency || appearance.scheme == .alwaysOn
            if mustBe { #expect(isOpaque, "\(appearance)") }
        }
        #expect(CardPalette(.light).background.opacity < 1 && CardPalette(.dark).background.opacity < 1)
    }
}
