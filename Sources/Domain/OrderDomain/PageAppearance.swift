/// The appearance of a page, which its reader's device chooses.
public enum PageAppearance: String, CaseIterable, Hashable, Codable, Sendable {
    case light, dark

    /// The least contrast of a colour to each of the backgrounds.
    ///
    /// - Source: WCAG 2.2, success criterion 1.4.3, level AA, for text of any size.
    public static let contrastMin = 4.5

    /// The backgrounds that a shop's colour is in front of, and the text that is in front of the colour, as in
    /// `pages.css`: `--paper`, `--surface` and `--tone-ink`.
    public var neighbours: [ShopColour] {
        switch self {
        case .light:
            [
                ShopColour(red: 0xF4, green: 0xF4, blue: 0xF1), ShopColour(red: 255, green: 255, blue: 255),
                ShopColour(red: 255, green: 255, blue: 255),
            ]
        case .dark:
            [
                ShopColour(red: 0x10, green: 0x12, blue: 0x15), ShopColour(red: 0x1B, green: 0x1E, blue: 0x23),
                ShopColour(red: 0x0B, green: 0x0D, blue: 0x10),
            ]
        }
    }

    /// A colour's contrast to one of its neighbours, written as `4.53:1`.
    public struct Contrast: Hashable, Sendable, CustomStringConvertible {
        public let ratio: Double
        public let neighbour: ShopColour

        /// Rounded down, so that a ratio below a bound is never written as the bound.
        public var description: String {
            let hundredths = Int((ratio * 100).rounded(.down))
            return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100):1"
        }
    }

    /// The least contrast of the colour to its neighbours.
    public func leastContrast(of colour: ShopColour) -> Contrast {
        neighbours.map { Contrast(ratio: colour.contrast(to: $0), neighbour: $0) }.min { $0.ratio < $1.ratio }
            ?? Contrast(ratio: 21, neighbour: colour)
    }

    /// Whether text of the colour is legible in this appearance.
    public func accepts(_ colour: ShopColour) -> Bool { leastContrast(of: colour).ratio >= Self.contrastMin }

    /// The accepted colour of the same hue and saturation whose lightness is nearest: darker in the light appearance,
    /// lighter in the dark one.
    public func nearest(to colour: ShopColour) -> ShopColour {
        let start = colour.lightness
        let lightnesses = self == .light ? Array((0...start).reversed()) : Array(start...510)
        return lightnesses.lazy.map { colour.with(lightness: $0) }.first(where: accepts) ?? colour
    }
}
