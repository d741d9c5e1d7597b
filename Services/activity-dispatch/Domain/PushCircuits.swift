import FlowControl
import Foundation
import LiveActivity

/// The apps whose key or topic Apple refuses, with the time of each one's next attempt.
///
/// Such a refusal applies to every card: the circuit opens, and no card's budget is spent.
struct PushCircuits: Sendable {
    /// The app and environment of a refused configuration; this process has one key.
    struct Key: Hashable, Sendable {
        /// Nil is the app that is configured.
        let bundleID: BundleID?
        let environment: PushTokenBody.Environment
    }

    /// Why nothing is sent; times are wall time.
    struct Refusal: Hashable, Sendable {
        let since: Date
        /// Apple's newest reason.
        fileprivate(set) var reason: String
        fileprivate var breaker = CircuitBreaker<Date>(
            failuresMax: 1, pauses: BackOff(first: .seconds(30), longest: .seconds(15 * 60)))

        /// When one push is tried again.
        var until: Date { breaker.until ?? since }
    }

    /// The most circuits of other apps, and the most of these that are known to be accepted: a device names any app.
    static let otherAppsMax = 100

    private let app: BundleID?
    private var open: [Key: Refusal] = [:]
    /// Apps beside the configured one that Apple has accepted a push for: those of the key's team.
    private var accepted: Set<Key> = []

    /// - Parameter app: the one that is configured, which a device may name too; nil where none is.
    init(app: BundleID? = nil) { self.app = app }

    /// Whether it is the configured app, or Apple has accepted a push for it.
    ///
    /// Any other may be a name that a device made up, and its refusal is none of the configuration.
    func isOwn(_ key: Key) -> Bool { key.bundleID == nil || key.bundleID == app || accepted.contains(key) }

    /// Wall time at which it is tried again; nil where it may be sent to now, also after the clock was set back.
    func openUntil(_ key: Key, at wall: Date) -> Date? {
        open[key].flatMap { $0.breaker.admits(at: wall) ? nil : $0.until }
    }

    /// Nil where Apple has refused nothing, or has accepted a push since; a refusal outlasts the time of the next
    /// attempt.
    func refusal(_ key: Key) -> Refusal? { open[key] }

    /// - Parameter jitter: from 0 to 1, at random, so that replicas that were refused together do not try together.
    /// - Returns: whether the circuit was closed before.
    mutating func halt(_ key: Key, reason: String, at wall: Date, jitter: Double = 0) -> Bool {
        // Sends that were on their way when it opened are no further failures.
        if openUntil(key, at: wall) != nil { return false }
        if open[key] == nil, !isOwn(key) { dropEarliestOther() }
        var refusal = open[key] ?? Refusal(since: wall, reason: reason)
        defer { open[key] = refusal }
        refusal.reason = reason
        return refusal.breaker.recordFailure(at: wall, jitter: jitter)
    }

    /// Drops the other app whose next attempt is farthest past, where there are as many as may be.
    private mutating func dropEarliestOther() {
        let others = open.filter { !isOwn($0.key) }
        guard others.count >= Self.otherAppsMax,
            let earliest = others.min(by: { $0.value.until < $1.value.until })
        else { return }
        open[earliest.key] = nil
    }

    /// Closes the circuit of an app whose push Apple accepted.
    ///
    /// - Returns: whether the circuit was open before.
    mutating func close(_ key: Key) -> Bool {
        let wasOpen = open.removeValue(forKey: key) != nil
        if !isOwn(key), accepted.count < Self.otherAppsMax { accepted.insert(key) }
        return wasOpen
    }

    /// The circuits of the configured app and of those that Apple has accepted.
    var count: Int { open.keys.count { isOwn($0) } }

    /// The circuits of other apps, which a device may have made up.
    var otherCount: Int { open.count - count }
}

extension PushCircuits.Key {
    init(_ push: Push, on device: Device) {
        self.init(bundleID: device.bundleID, environment: push.token?.environment ?? .production)
    }
}
