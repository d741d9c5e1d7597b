/// The system's colour scheme for a card.
public enum CardScheme: CaseIterable, Hashable, Sendable {
    case light, dark
    /// In shades of one colour, which replace the card's colours.
    case tinted
    /// On an always-on display, with reduced luminance.
    case alwaysOn
}

/// The colours of a card, legible on any wallpaper.
///
/// A test computes the contrast of each ``CardText`` on a black and on a white wallpaper, the two extremes.
public struct CardPalette: Hashable, Sendable {
    /// The tint of the card's background.
    ///
    /// Some of the wallpaper shows through, unless transparency is reduced or contrast is increased.
    public let background: CardColor
    /// Drawn over the background, behind a button's title.
    public let buttonFill: CardColor
    private let primary: CardColor
    private let secondary: CardColor
    private let hasDarkBackground: Bool
    /// Whether a shop's colour is drawn as it is, and not in shades of another or dimmed.
    private let hasShopColours: Bool

    /// - Parameters:
    ///   - hasIncreasedContrast: the person's setting, from `colorSchemeContrast`.
    ///   - reducesTransparency: the person's setting, from `accessibilityReduceTransparency`.
    public init(_ scheme: CardScheme, hasIncreasedContrast: Bool = false, reducesTransparency: Bool = false) {
        let isOpaque = hasIncreasedContrast || reducesTransparency
        switch scheme {
        case .light:
            background = CardColor(0xFFFFFF, opacity: isOpaque ? 1 : 0.9)
            buttonFill = CardColor(0x000000, opacity: 0.1)
            primary = .black
            secondary = hasIncreasedContrast ? CardColor(0x2C2C2E) : CardColor(0x48484E)
        case .dark:
            background = CardColor(0x000000, opacity: isOpaque ? 1 : 0.85)
            buttonFill = CardColor(0xFFFFFF, opacity: 0.16)
            primary = .white
            // Not darker: StandBy shows a dark card in shades of red at night, which are dark themselves.
            secondary = hasIncreasedContrast ? .white : CardColor(0xECECF1)
        case .tinted, .alwaysOn:
            background = .black
            buttonFill = CardColor(0xFFFFFF, opacity: 0.16)
            primary = .white
            secondary = .white
        }
        hasDarkBackground = scheme != .light
        hasShopColours = scheme == .light || scheme == .dark
    }

    /// The colours in the Dynamic Island, which is black whatever the scheme is.
    public static let island = CardPalette(.dark, reducesTransparency: true)

    public func color(of text: CardText) -> CardColor {
        switch text {
        case .remaining, .headline, .arrival, .button, .systemAction: primary
        case .store, .staleHeadline, .detail: secondary
        }
    }

    /// The colour of the progress line and of symbols; gray where this version does not know the tint.
    public func color(of tint: Tint) -> CardColor {
        switch tint {
        case .blue: hasDarkBackground ? CardColor(0x4DA3FF) : CardColor(0x0060DF)
        case .teal: hasDarkBackground ? CardColor(0x40C8E0) : CardColor(0x00707F)
        case .indigo: hasDarkBackground ? CardColor(0x9D9BFF) : CardColor(0x4B49C8)
        case .green: hasDarkBackground ? CardColor(0x30D158) : CardColor(0x1E7B34)
        case .mint: hasDarkBackground ? CardColor(0x66D4CF) : CardColor(0x00756B)
        case .purple: hasDarkBackground ? CardColor(0xDA8FFF) : CardColor(0x8A35B8)
        case .orange: hasDarkBackground ? CardColor(0xFF9F0A) : CardColor(0xB25000)
        case .cyan: hasDarkBackground ? CardColor(0x70D7FF) : CardColor(0x0E6E9E)
        default: hasDarkBackground ? CardColor(0xAEAEB2) : CardColor(0x6C6C70)
        }
    }

    /// The colour of a shop's mark beside the store's name, such as a bar; nil for no mark.
    ///
    /// It has 3 to 1 on any wallpaper, as a graphic needs, and not always the 4.5 of a text: the store's name keeps its
    /// own colour.
    public func mark(of shop: GroceryDeliveryAttributes.Shop?) -> CardColor? {
        guard hasShopColours, let text = hasDarkBackground ? shop?.dark : shop?.light, text.hasPrefix("#"),
            text.utf8.count == 7, let hex = UInt32(text.dropFirst(), radix: 16)
        else { return nil }
        return CardColor(hex)
    }

    /// The colour behind a text.
    ///
    /// - Parameter wallpaper: the colour behind the card; opaque.
    public func ground(of text: CardText, on wallpaper: CardColor) -> CardColor {
        let ground = background.drawn(over: wallpaper)
        switch text {
        case .button: return buttonFill.drawn(over: ground)
        case .store, .remaining, .headline, .staleHeadline, .arrival, .detail, .systemAction: return ground
        }
    }
}
