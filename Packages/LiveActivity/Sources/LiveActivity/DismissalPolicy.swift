/// The time for which each kind of end stays on the Lock Screen.
public struct DismissalPolicy: Codable, Hashable, Sendable {
    /// Seconds after the end, at most four hours each.
    public let deliveredSeconds: Int
    public let cancelledSeconds: Int
    public let returnedSeconds: Int
    public let failedSeconds: Int
    /// Whether none of them counts: ended cards have no date, and the system keeps them for up to four hours.
    public let isLeftToSystem: Bool

    /// Delivered 15 minutes, cancelled 30 minutes, returned and failed 2 hours.
    public static let standard = DismissalPolicy()
    /// The system keeps ended cards as long as it does by default.
    public static let system = DismissalPolicy(isLeftToSystem: true)

    public init(
        deliveredSeconds: Int = 15 * 60, cancelledSeconds: Int = 30 * 60, returnedSeconds: Int = 2 * 60 * 60,
        failedSeconds: Int = 2 * 60 * 60, isLeftToSystem: Bool = false
    ) {
        self.isLeftToSystem = isLeftToSystem
        self.deliveredSeconds = Self.bounded(deliveredSeconds)
        self.cancelledSeconds = Self.bounded(cancelledSeconds)
        self.returnedSeconds = Self.bounded(returnedSeconds)
        self.failedSeconds = Self.bounded(failedSeconds)
    }

    /// A policy as a setting names it.
    public enum Name: String, CaseIterable, Sendable {
        /// Each kind of end for its own time.
        case timed
        case system = "default"
    }

    public init(_ name: Name) { self = name == .timed ? .standard : .system }

    private static func bounded(_ seconds: Int) -> Int { min(max(seconds, 0), Dismissal.keptSecondsMax) }

    /// Nil while the delivery is live.
    public func dismissal(of status: DeliverySnapshot.Status) -> Dismissal? {
        switch status {
        case .delivered: kept(deliveredSeconds)
        case .cancelled: kept(cancelledSeconds)
        case .returned: kept(returnedSeconds)
        case .failed: kept(failedSeconds)
        case .placed, .accepted, .picking, .staged, .pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning:
            nil
        }
    }

    private func kept(_ seconds: Int) -> Dismissal { isLeftToSystem ? .default : .after(seconds: seconds) }
}
