internal import CommandOutput
package import DoorstepAPI
package import Foundation
package import OrderDomain
package import StackClient
internal import TimePresentation

/// Receives the progress of a simulated ride.
package protocol RideLog: Sendable {
    func sent(_ fixes: [Ride.Fix], answer: FixesAnswer, remaining: Int) async
    func pressed(_ press: RidePlan.Press) async
    /// The status was set already, or cannot be set now.
    func skipped(_ press: RidePlan.Press, now: StatusCode) async
    func isUnavailable(_ peer: Peer, attempts: Int, why: String) async
    func finished() async
}

/// Prints progress: one line that is updated on a terminal, one line an event elsewhere.
package actor PrintedRideLog: RideLog {
    private let isOnTerminal: Bool
    private let timeZone: TimeZone
    private var accepted = 0
    private var ignored: [String: Int] = [:]

    package init(isOnTerminal: Bool, timeZone: TimeZone) {
        self.isOnTerminal = isOnTerminal
        self.timeZone = timeZone
    }

    package func sent(_ fixes: [Ride.Fix], answer: FixesAnswer, remaining: Int) {
        accepted += answer.accepted
        ignored.merge(answer.ignored, uniquingKeysWith: +)
        guard let last = fixes.last else { return }
        let time = text(last.time)
        if isOnTerminal {
            updateLine("\(time)  \(accepted) fixes taken\(Self.text(ofIgnored: ignored)), \(remaining) to come")
        } else {
            let place = String(format: "%.5f,%.5f", last.place.latitude, last.place.longitude)
            printLine(
                "\(time)  \(place)  \(answer.accepted) taken\(Self.text(ofIgnored: answer.ignored)), \(remaining) to come"
            )
        }
    }

    package func pressed(_ press: RidePlan.Press) {
        printLine("\(text(press.at))  \(press.status.rawValue): \(press.delivery)")
    }

    package func skipped(_ press: RidePlan.Press, now: StatusCode) {
        let time = text(press.at)
        printLine("\(time)  \(press.status.rawValue) not pressed, it is \(now.rawValue): \(press.delivery)")
    }

    package func isUnavailable(_ peer: Peer, attempts: Int, why: String) {
        // Only the first attempt is printed; later ones have the same reason.
        if attempts == 1 { printLine("\(peer.rawValue) is away, trying on: \(why)") }
    }

    package func finished() { printLine("done: \(accepted) fixes taken\(Self.text(ofIgnored: ignored))") }

    /// Formats the time of an event; each line is written at that time.
    private func text(_ time: Date) -> String {
        StoreTimes(timeZone: timeZone, now: time).text(time, withSeconds: true)
    }

    private static func text(ofIgnored ignored: [String: Int]) -> String {
        let counts = ignored.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return counts.isEmpty ? "" : ", ignored " + counts.joined(separator: " and ")
    }

    private func printLine(_ line: String) {
        writeLine((isOnTerminal ? "\r\u{1B}[K" : "") + line.safeOnTerminal)
    }

    private func updateLine(_ line: String) {
        writeOutput("\r\u{1B}[K\(line)")
    }
}

/// Discards the progress.
package struct DiscardingRideLog: RideLog {
    package init() {}

    package func sent(_ fixes: [Ride.Fix], answer: FixesAnswer, remaining: Int) async {}
    package func pressed(_ press: RidePlan.Press) async {}
    package func skipped(_ press: RidePlan.Press, now: StatusCode) async {}
    package func isUnavailable(_ peer: Peer, attempts: Int, why: String) async {}
    package func finished() async {}
}
