/// Exponential smoothing of predicted arrival times.
///
/// It halves jumps and reversals for a second of accuracy. It is recomputed from the window of fixes each time, so late
/// and repeated fixes leave no trace in it.
enum ArrivalSmoothing {
    /// Weight of each newer prediction.
    static let gain = 0.3
    /// Seconds between two predictions.
    static let stepSeconds = 15.0
    /// Predictions that are smoothed over; earlier ones count as the last of them.
    static let stepsMax = 6

    /// - Parameter arrivals: newest first, one a step; not empty.
    static func smoothed(_ arrivals: [Double]) -> Double {
        var smoothed = arrivals[arrivals.count - 1]
        for arrival in arrivals.dropLast().reversed() { smoothed += gain * (arrival - smoothed) }
        return smoothed
    }
}
