package import Foundation

/// A fault that is injected into a simulated ride.
package enum RideDisruption: Hashable, Sendable {
    /// The courier stands still `after` seconds into the ride, for `seconds`: a puncture, a raised bridge.
    case halted(after: TimeInterval, seconds: TimeInterval)
    /// The phone has no network from `after` seconds into the ride, for `seconds`, and sends its backlog at the end.
    case offline(after: TimeInterval, seconds: TimeInterval)
}

extension RidePlan {
    /// The plan with a fault; a halt delays the fixes and presses after it.
    package func disrupted(by disruption: RideDisruption) -> RidePlan {
        guard let begin = ride.fixes.first?.time else { return self }
        switch disruption {
        case .halted(let after, let seconds):
            return halted(at: begin.addingTimeInterval(after), seconds: seconds)
        case .offline(let after, let seconds):
            let from = begin.addingTimeInterval(after)
            let to = from.addingTimeInterval(seconds)
            var offline = ride
            for index in offline.fixes.indices where (from..<to).contains(offline.fixes[index].sentAt) {
                offline.fixes[index].sentAt = to
            }
            return RidePlan(ride: offline, presses: presses)
        }
    }

    private func halted(at moment: Date, seconds: TimeInterval) -> RidePlan {
        let done = ride.fixes.filter { $0.time <= moment }
        guard let last = done.last else { return self }
        let every = max(1, last.time.timeIntervalSince(done.dropLast().last?.time ?? last.time))
        let halt = stride(from: every, through: seconds, by: every).map { later in
            Ride.Fix(
                time: last.time.addingTimeInterval(later), place: last.place,
                sentAt: last.sentAt.addingTimeInterval(later), accuracy: last.accuracy)
        }
        let rest = ride.fixes.filter { $0.time > moment }.map { fix in
            Ride.Fix(
                time: fix.time.addingTimeInterval(seconds), place: fix.place,
                sentAt: fix.sentAt.addingTimeInterval(seconds), accuracy: fix.accuracy)
        }
        return RidePlan(
            ride: Ride(fixes: done + halt + rest),
            presses: presses.map { press in
                press.at <= moment
                    ? press
                    : Press(at: press.at.addingTimeInterval(seconds), delivery: press.delivery, status: press.status)
            })
    }
}
