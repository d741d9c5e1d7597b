import Foundation

/// What comes between a courier and a smooth ride.
enum Hindrance: Hashable, Sendable {
    /// Stands still, so many seconds into the ride, for so long: a puncture, a raised bridge.
    case halted(after: TimeInterval, seconds: TimeInterval)
    /// The phone has no network from so many seconds into the ride, for so long, and sends what it kept at the end.
    case unheard(after: TimeInterval, seconds: TimeInterval)
}

extension RidePlan {
    /// The same plan with what came between; the ride and its presses are later by what was lost.
    func hindered(by hindrance: Hindrance) -> RidePlan {
        guard let begin = ride.fixes.first?.time else { return self }
        switch hindrance {
        case .halted(let after, let seconds):
            return halted(at: begin.addingTimeInterval(after), seconds: seconds)
        case .unheard(let after, let seconds):
            let from = begin.addingTimeInterval(after)
            let to = from.addingTimeInterval(seconds)
            var unheard = ride
            for index in unheard.fixes.indices where (from..<to).contains(unheard.fixes[index].sentAt) {
                unheard.fixes[index].sentAt = to
            }
            return RidePlan(ride: unheard, presses: presses)
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
