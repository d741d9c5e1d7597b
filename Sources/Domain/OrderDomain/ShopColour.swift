import Foundation

/// A colour of sRGB, written `#0b62c4`.
public struct ShopColour: Hashable, Sendable, CustomStringConvertible {
    /// 0 to 255, as the others.
    public let red: Int
    public let green: Int
    public let blue: Int

    /// Each value is clamped to 0 to 255.
    public init(red: Int, green: Int, blue: Int) {
        self.red = min(max(red, 0), 255)
        self.green = min(max(green, 0), 255)
        self.blue = min(max(blue, 0), 255)
    }

    /// Nil for a text that is not a `#` and six hexadecimal digits.
    public init?(_ text: String) {
        guard text.wholeMatch(of: /#[0-9a-fA-F]{6}/) != nil, let value = Int(text.dropFirst(), radix: 16) else {
            return nil
        }
        self.init(red: value >> 16, green: value >> 8 & 255, blue: value & 255)
    }

    /// In lower case, with its `#`.
    public var description: String {
        "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The sum of the greatest and the least of the three values, 0 for black to 510 for white.
    ///
    /// It is the lightness of HSL in its smallest steps.
    public var lightness: Int { max(red, green, blue) + min(red, green, blue) }

    /// The colour with the same hue and saturation and another lightness, 0 to 510.
    public func with(lightness: Int) -> ShopColour {
        let (least, spread) = (min(red, green, blue), max(red, green, blue) - min(red, green, blue))
        guard spread > 0 else { return ShopColour(red: lightness / 2, green: lightness / 2, blue: lightness / 2) }
        /// The spread of a saturated colour of a lightness.
        func spreadMax(_ lightness: Int) -> Int { lightness <= 255 ? lightness : 510 - lightness }
        let newSpread = Double(spread) * Double(spreadMax(lightness)) / Double(spreadMax(self.lightness))
        let newLeast = (Double(lightness) - newSpread) / 2
        func moved(_ value: Int) -> Int {
            Int((newLeast + Double(value - least) / Double(spread) * newSpread).rounded())
        }
        return ShopColour(red: moved(red), green: moved(green), blue: moved(blue))
    }

    /// The relative luminance, 0 for black to 1 for white.
    ///
    /// - Source: WCAG 2.2, "relative luminance".
    public var luminance: Double {
        func linear(_ value: Int) -> Double {
            let share = Double(value) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    /// The contrast of two colours, 1 to 21, whichever is in front.
    ///
    /// - Source: WCAG 2.2, "contrast ratio".
    public func contrast(to other: ShopColour) -> Double {
        let (one, two) = (luminance, other.luminance)
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }
}

extension ShopColour: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let colour = ShopColour(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no colour")
        }
        self = colour
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
