import CommandOutput
import Foundation

/// The rules that the rotations of all kinds of keys share.
///
/// A rotation has three steps, so that no service meets a signature of a key that it does not have: every service gets
/// the new key, then the new key signs, then the former one is dropped when nothing that it signed is valid. Each step
/// may be repeated.
struct KeyRotation: Sendable {
    enum Step: String, CaseIterable, Sendable {
        case add, sign, drop
    }

    /// Seconds for which the longest-lived signature of a key is valid.
    let longestLifetime: TimeInterval
    /// Wall time.
    let now: Date
    /// Whether a key is dropped while what it signed may be valid.
    var isAtOnce = false
    /// When the last process was restarted that signed by a former key, wall time; nil where it is not known.
    var restartedAt: Date?
    /// The options that the person gave and that every step needs, as arguments.
    var options: [String] = []

    /// The command line of a step, with the options that the person gave; quoted for a shell.
    ///
    /// - Parameters:
    ///   - kind: the option of the kind of keys, such as `--tokens`.
    ///   - more: what only this step needs.
    func command(_ kind: String, _ step: Step, _ more: String = "") -> String {
        (["doorstep admin keys rotate", kind, step.rawValue] + options.map(Self.quoted) + [more])
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func quoted(_ argument: String) -> String {
        guard argument.wholeMatch(of: /[A-Za-z0-9_.\/:@%+=,\-]+/) == nil else { return argument }
        return "'" + argument.replacing("'", with: "'\\''") + "'"
    }

    /// - Parameter retired: the former keys, each with the time since which another is to sign.
    /// - Throws: `CommandFailure` of kind conflict while what one of them signed may be valid. A process signs by the
    ///   key of its start, so the restart of the last one counts.
    func checkDrop(_ retired: [(name: String, since: Date)]) throws {
        guard !isAtOnce, let latest = retired.max(by: { $0.since < $1.since }) else { return }
        guard let restartedAt, restartedAt >= latest.since, restartedAt <= now else {
            throw CommandFailure(
                .conflict,
                """
                nothing is dropped: \(latest.name) signs until the last replica is restarted after \
                \(latest.since.ISO8601Format()). Say when that was: --restarted TIME
                """)
        }
        let end = restartedAt.addingTimeInterval(longestLifetime)
        guard end > now else { return }
        throw CommandFailure(
            .conflict,
            """
            nothing is dropped: what \(latest.name) signed may be valid until \(end.ISO8601Format()). Drop it then, or \
            say --at-once where the key was disclosed
            """)
    }
}
