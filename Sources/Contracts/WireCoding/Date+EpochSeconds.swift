public import Foundation

extension Date {
    /// Whole seconds since 1970, rounded down, as in cards and pushes.
    public var epochSeconds: Int { Int(timeIntervalSince1970.rounded(.down)) }
}
