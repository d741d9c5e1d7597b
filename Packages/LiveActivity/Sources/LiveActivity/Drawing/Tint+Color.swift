#if canImport(SwiftUI)
    public import SwiftUI

    extension Tint {
        /// The system's colour of this name, which has a light and a dark form; gray where the name is not known.
        public var color: Color {
            switch self {
            case .blue: .blue
            case .teal: .teal
            case .indigo: .indigo
            case .green: .green
            case .mint: .mint
            case .purple: .purple
            case .orange: .orange
            case .cyan: .cyan
            default: .gray
            }
        }
    }
#endif
