import DoorstepAPI
import Foundation
import OrderDomain

/// Hears what becomes of a ride.
protocol RideLog: Sendable {
    func sent(_ fixes: [Ride.Fix], answer: FixesAnswer, left: Int) async
    func pressed(_ press: RidePlan.Press) async
    /// The status was there already, or cannot be set now.
    func passedOver(_ press: RidePlan.Press, now: StatusCode) async
    func isAway(_ peer: Peer, attempts: Int, why: String) async
    func finished() async
}

/// Tells a person: one line that is kept up to date on a terminal, one line an event elsewhere.
actor PrintedRideLog: RideLog {
    private let isOnTerminal: Bool
    private let timeZone: TimeZone
    private var accepted = 0
    private var ignored: [String: Int] = [:]

    init(isOnTerminal: Bool, timeZone: TimeZone) {
        self.isOnTerminal = isOnTerminal
        self.timeZone = timeZone
    }

    func sent(_ fixes: [Ride.Fix], answer: FixesAnswer, left: Int) {
        accepted += answer.accepted
        ignored.merge(answer.ignored, uniquingKeysWith: +)
        guard let last = fixes.last else { return }
        let time = last.time.clock(in: timeZone, withSeconds: true)
        if isOnTerminal {
            progress("\(time)  \(accepted) fixes taken\(Self.words(ignored)), \(left) to come")
        } else {
            let place = String(format: "%.5f,%.5f", last.place.latitude, last.place.longitude)
            say("\(time)  \(place)  \(answer.accepted) taken\(Self.words(answer.ignored)), \(left) to come")
        }
    }

    func pressed(_ press: RidePlan.Press) {
        say("\(press.at.clock(in: timeZone, withSeconds: true))  \(press.status.rawValue): \(press.delivery)")
    }

    func passedOver(_ press: RidePlan.Press, now: StatusCode) {
        let time = press.at.clock(in: timeZone, withSeconds: true)
        say("\(time)  \(press.status.rawValue) not pressed, it is \(now.rawValue): \(press.delivery)")
    }

    func isAway(_ peer: Peer, attempts: Int, why: String) {
        // The first time says why; that it goes on is no news.
        if attempts == 1 { say("\(peer.rawValue) is away, trying on: \(why)") }
    }

    func finished() { say("done: \(accepted) fixes taken\(Self.words(ignored))") }

    private static func words(_ ignored: [String: Int]) -> String {
        let counts = ignored.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return counts.isEmpty ? "" : ", ignored " + counts.joined(separator: " and ")
    }

    private func say(_ line: String) {
        print((isOnTerminal ? "\r\u{1B}[K" : "") + line.safeOnTerminal)
        fflush(nil)
    }

    private func progress(_ line: String) {
        print("\r\u{1B}[K\(line)", terminator: "")
        fflush(nil)
    }
}

/// Says nothing.
struct SilentRideLog: RideLog {
    func sent(_ fixes: [Ride.Fix], answer: FixesAnswer, left: Int) async {}
    func pressed(_ press: RidePlan.Press) async {}
    func passedOver(_ press: RidePlan.Press, now: StatusCode) async {}
    func isAway(_ peer: Peer, attempts: Int, why: String) async {}
    func finished() async {}
}
