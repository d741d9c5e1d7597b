#if canImport(SwiftUI)
    public import SwiftUI

    extension CardColor {
        /// The colour as a SwiftUI colour.
        public var color: Color { Color(.sRGB, red: red, green: green, blue: blue, opacity: opacity) }
    }

    extension TextSize {
        /// The text size from SwiftUI's; the default size for an unknown one.
        public init(_ size: DynamicTypeSize) {
            self = Self.allCases.first { $0.dynamicTypeSize == size } ?? .large
        }

        public var dynamicTypeSize: DynamicTypeSize {
            switch self {
            case .xSmall: .xSmall
            case .small: .small
            case .medium: .medium
            case .large: .large
            case .xLarge: .xLarge
            case .xxLarge: .xxLarge
            case .xxxLarge: .xxxLarge
            case .accessibility1: .accessibility1
            case .accessibility2: .accessibility2
            case .accessibility3: .accessibility3
            case .accessibility4: .accessibility4
            case .accessibility5: .accessibility5
            }
        }
    }
#endif
