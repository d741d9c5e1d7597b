/// What every service republishes, so that a broker or a peer that lost it gets it again.
public enum Resync {
    /// Seconds after a delivery's end during which it is still republished: longer than its card can stay on a screen,
    /// which the system keeps active for 8 h at most and on the Lock Screen for 4 h more.
    public static let secondsAfterEnd = 13.0 * 3_600
}
