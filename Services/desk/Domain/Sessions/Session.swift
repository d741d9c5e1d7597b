import Foundation

/// A browser in which somebody is signed in; its times are wall time.
struct Session: Hashable, Sendable {
    /// How long it may be left alone.
    static let idleTime: TimeInterval = 30 * 60
    /// How long it is good for, however much it is used: a long shift.
    static let lifetime: TimeInterval = 12 * 3_600
    /// It is noted that a session is used when that was noted so long ago.
    static let seenInterval: TimeInterval = 60

    let user: DeskUser
    let startedAt: Date
    let seenAt: Date

    func isGood(at now: Date) -> Bool {
        now.timeIntervalSince(seenAt) < Self.idleTime && now.timeIntervalSince(startedAt) < Self.lifetime
    }

    func needsNoting(at now: Date) -> Bool { now.timeIntervalSince(seenAt) >= Self.seenInterval }
}
