import Foundation

/// When a courier works, and so when their phone's positions may be recorded.
///
/// A courier is on duty while a delivery is theirs, from the assignment to its end, and in the periods that they or an
/// operator began. A position counts by when it was measured, so a backlog from a tunnel is recorded and one from
/// breakfast is not.
struct Duty: Hashable, Sendable {
    struct Period: Hashable, Sendable {
        let from: Date
        let to: Date
        /// Whether it is a delivery that makes it one.
        let isByDelivery: Bool
    }

    /// Seconds by which a phone's clock may differ from the service's.
    static let clockSeconds = 120.0
    /// Hours of a period without a given end, and the most hours: no shift is longer, and a forgotten one ends.
    static let hoursUsual = 12.0
    static let hoursMax = 16.0

    var periods: [Period] = []

    func covers(_ time: Date) -> Bool {
        periods.contains { period in
            time >= period.from.addingTimeInterval(-Self.clockSeconds)
                && time <= period.to.addingTimeInterval(Self.clockSeconds)
        }
    }

    /// The period that covers a moment of our own clock, the one that ends last.
    func period(at time: Date) -> Period? {
        periods.filter { $0.from <= time && time < $0.to }.max { $0.to < $1.to }
    }
}
