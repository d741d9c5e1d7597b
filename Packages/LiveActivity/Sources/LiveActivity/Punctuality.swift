/// A time compared with a promised window: early is before its beginning, late is after its end.
///
/// Texts and figures of hand-overs, and diagnoses, call a delivery early or late by this value. The board rounds
/// up the minutes by which a live delivery is late.
public enum Punctuality: Hashable, Sendable {
    /// - Parameter minutes: whole minutes before the window's beginning, at least 1.
    case early(minutes: Int)
    /// Inside the window, or less than a minute outside it: clock times are shown in whole minutes.
    case asPromised
    /// - Parameter minutes: whole minutes after the window's end, at least 1.
    case late(minutes: Int)

    /// - Parameters:
    ///   - epochSeconds: the time of the hand-over, or the expected one.
    ///   - promise: the window; one whose beginning is its end has no beginning, so that nothing is early in it.
    public init(of epochSeconds: Int, in promise: Window) {
        let early = promise.hasBeginning ? promise.from.minutes(after: epochSeconds) : 0
        let late = epochSeconds.minutes(after: promise.to)
        self = early > 0 ? .early(minutes: early) : late > 0 ? .late(minutes: late) : .asPromised
    }
}

extension Window {
    /// Whether the window has a beginning besides its end: "10:59 to 11:29" rather than "by 11:29".
    public var hasBeginning: Bool { from < to }
}

extension Int {
    /// Whole minutes from an earlier time to this one, in epoch seconds; not above 0 where the other is later.
    fileprivate func minutes(after earlier: Int) -> Int {
        addingSaturating(earlier == .min ? .max : -earlier) / 60
    }
}
