import Foundation

/// A device's clock and randomness, which tests replace.
struct DeviceTime: Sendable {
    var now: @Sendable () -> Date = { Date() }
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// 0 to 1.
    var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }
}
