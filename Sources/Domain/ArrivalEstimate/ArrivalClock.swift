/// Arrival times predicted at several moments, made steady by a first-order filter.
///
/// It halves jumps and reversals for a second of accuracy; it is computed from the window of fixes each time, so what
/// came late or twice leaves no trace in it.
enum ArrivalClock {
    /// Share of the new arrival time that each step lets in.
    static let gain = 0.3
    /// Seconds between two steps.
    static let stepSeconds = 15.0
    /// Steps back; what lies before them counts as the last of them.
    static let stepsMax = 6

    /// - Parameter arrivals: newest first, one a step; not empty.
    static func filtered(_ arrivals: [Double]) -> Double {
        var clock = arrivals[arrivals.count - 1]
        for arrival in arrivals.dropLast().reversed() { clock += gain * (arrival - clock) }
        return clock
    }
}
