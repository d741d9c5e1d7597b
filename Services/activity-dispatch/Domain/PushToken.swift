import Foundation
import LiveActivity

/// A token that APNs pushes with, as it was uploaded.
struct PushToken: Codable, Hashable, Sendable {
    /// Hex in lower case, of any even length.
    let value: String
    let environment: PushTokenBody.Environment
    /// When the app received it, by the device's clock, and not later than it was uploaded.
    let observedAt: Date
    /// Counts the tokens that the app received.
    let generation: Int
    /// When it was uploaded, wall time.
    let registeredAt: Date

    static let charactersMax = 512

    /// - Parameters:
    ///   - now: domain time; a later observation is from a phone with a wrong clock, and counts as observed now.
    ///   - wall: wall time.
    /// - Returns: nil where the value is not hex of an even length, or the generation is below zero.
    init?(_ body: PushTokenBody, at now: Date, wall: Date) {
        let value = body.value
        guard value.utf8.count.isMultiple(of: 2), (2...Self.charactersMax).contains(value.utf8.count),
            value.allSatisfy({ $0.isASCII && $0.isHexDigit }), body.generation >= 0
        else { return nil }
        self.init(
            value: value.lowercased(), environment: body.environment, observedAt: min(body.observedAt ?? now, now),
            generation: body.generation, registeredAt: wall)
    }

    init(
        value: String, environment: PushTokenBody.Environment = .production, observedAt: Date, generation: Int = 0,
        registeredAt: Date
    ) {
        self.value = value
        self.environment = environment
        self.observedAt = observedAt
        self.generation = generation
        self.registeredAt = registeredAt
    }

    /// Whether it replaces the known token: a late upload does not.
    func replaces(_ known: PushToken?) -> Bool {
        guard let known else { return true }
        return (observedAt, generation) >= (known.observedAt, known.generation)
    }

    /// Whether it was uploaded before anything was kept of uploads.
    var isOfUnknownAge: Bool { observedAt == .distantPast }

    /// Whether an answer about an invalid token concerns this one: the same value, not uploaded again since.
    ///
    /// - Parameter since: wall time of APNs' knowledge; nil where APNs sends none.
    func isGone(_ value: String, since: Date?) -> Bool {
        value == self.value && since.map { registeredAt <= $0 } ?? true
    }
}
