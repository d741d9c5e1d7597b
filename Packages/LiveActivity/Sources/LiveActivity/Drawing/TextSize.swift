/// The Dynamic Type size that a person has chosen, from the smallest to the largest.
public enum TextSize: Int, CaseIterable, Comparable, Sendable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5

    public static func < (one: TextSize, other: TextSize) -> Bool { one.rawValue < other.rawValue }
}

/// The text styles that cards use.
public enum TextStyle: CaseIterable, Hashable, Sendable {
    case headline, subheadline, caption

    /// The size of the letters at a Dynamic Type size, in points.
    ///
    /// - Source: Human Interface Guidelines, Typography, Specifications, iOS Dynamic Type sizes.
    public func points(at size: TextSize) -> Double { Self.table(self)[size.rawValue].points }

    /// The height of one line at a Dynamic Type size, in points.
    ///
    /// - Source: Human Interface Guidelines, Typography, Specifications, iOS Dynamic Type sizes.
    public func leading(at size: TextSize) -> Double { Self.table(self)[size.rawValue].leading }

    private static func table(_ style: TextStyle) -> [(points: Double, leading: Double)] {
        switch style {
        case .headline:
            [
                (14, 19), (15, 20), (16, 21), (17, 22), (19, 24), (21, 26), (23, 29),
                (28, 34), (33, 40), (40, 48), (47, 56), (53, 62),
            ]
        case .subheadline:
            [
                (12, 16), (13, 18), (14, 19), (15, 20), (17, 22), (19, 24), (21, 28),
                (25, 31), (30, 37), (36, 43), (42, 50), (49, 58),
            ]
        case .caption:
            [
                (11, 13), (11, 13), (11, 13), (12, 16), (14, 19), (16, 21), (18, 23),
                (22, 29), (26, 32), (32, 39), (37, 44), (43, 51),
            ]
        }
    }
}
