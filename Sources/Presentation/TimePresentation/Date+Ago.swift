package import Foundation

extension Date {
    /// The age in whole units: `12 min ago`, `2 h 5 min ago`, `3 d ago`; `just now` in the first minute.
    package func ago(_ now: Date) -> String {
        let minutes = Int((max(0, now.timeIntervalSince(self)) / 60).rounded(.down))
        switch minutes {
        case 0: return "just now"
        case ..<60: return "\(minutes) min ago"
        case ..<(24 * 60): return "\(minutes / 60) h \(minutes % 60) min ago"
        default: return "\(minutes / 60 / 24) d ago"
        }
    }
}
