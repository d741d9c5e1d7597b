import Foundation

/// An sRGB colour of a card.
public struct CardColor: Hashable, Sendable {
    /// 0 to 1.
    public let red: Double
    /// 0 to 1.
    public let green: Double
    /// 0 to 1.
    public let blue: Double
    /// 0 to 1; below 1 the backdrop shows through.
    public let opacity: Double

    public init(red: Double, green: Double, blue: Double, opacity: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.opacity = opacity
    }

    /// - Parameter hex: such as `0x30D158`.
    init(_ hex: UInt32, opacity: Double = 1) {
        func part(_ shift: UInt32) -> Double { Double((hex >> shift) & 0xFF) / 255 }
        self.init(red: part(16), green: part(8), blue: part(0), opacity: opacity)
    }

    public static let white = CardColor(0xFFFFFF)
    public static let black = CardColor(0x000000)

    /// The colour that a person sees where this one is drawn over an opaque backdrop.
    public func drawn(over backdrop: CardColor) -> CardColor {
        func mixed(_ part: KeyPath<CardColor, Double>) -> Double {
            self[keyPath: part] * opacity + backdrop[keyPath: part] * (1 - opacity)
        }
        return CardColor(red: mixed(\.red), green: mixed(\.green), blue: mixed(\.blue))
    }

    /// The relative luminance, 0 to 1, of the colour as if it were opaque.
    ///
    /// - Source: WCAG 2.2, definition of relative luminance.
    public var luminance: Double {
        func linear(_ part: Double) -> Double {
            part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// Contrast ratio of two opaque colours, 1 to 21.
    ///
    /// - Source: WCAG 2.2, definition of contrast ratio; AA asks 4.5 of text and 3 of graphics.
    public func contrast(with other: CardColor) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }
}
