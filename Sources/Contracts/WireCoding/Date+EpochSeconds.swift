public import Foundation

extension Date {
    /// Whole seconds since 1970, rounded down: what cards and pushes carry.
    public var epochSeconds: Int { Int(timeIntervalSince1970.rounded(.down)) }
}
