public import Foundation

extension ArrivalEstimate {
    /// Seconds without a fix for which an estimate is believed at least.
    private static let patienceSecondsMin = 300.0
    /// How many times as long it is believed where it is as sure as can be.
    private static let surenessFactor = 2.0

    /// Until when a screen may show this with no further word.
    ///
    /// The surer it is, and the seldomer the phone speaks anyway, the longer; never beyond the window.
    /// - Parameters:
    ///   - heardAt: when the courier was last heard; when the estimate was made, for one who was not.
    ///   - silentAfter: seconds after which that phone counts as silent.
    public func believableUntil(heardAt: Date?, silentAfter: Double) -> Date {
        let patience = max(Self.patienceSecondsMin, silentAfter) * (1 + Self.surenessFactor * sureness)
        return min(latest, (heardAt ?? madeAt).addingTimeInterval(patience))
    }

    /// 0 to 1: how long there is to go, as a share of that and of the window together.
    private var sureness: Double {
        let remaining = remaining(at: madeAt)
        let width = max(0, latest.timeIntervalSince(earliest))
        return remaining / max(remaining + width, 1)
    }
}
