/// How long each kind of end stays on the Lock Screen.
public struct DismissalPolicy: Codable, Hashable, Sendable {
    /// Seconds after the end, at most four hours each.
    public let deliveredSeconds: Int
    public let cancelledSeconds: Int
    public let returnedSeconds: Int
    public let failedSeconds: Int

    /// Delivered 15 minutes, cancelled 30 minutes, returned and failed 2 hours.
    public static let standard = DismissalPolicy()

    public init(
        deliveredSeconds: Int = 15 * 60, cancelledSeconds: Int = 30 * 60, returnedSeconds: Int = 2 * 60 * 60,
        failedSeconds: Int = 2 * 60 * 60
    ) {
        self.deliveredSeconds = Self.kept(deliveredSeconds)
        self.cancelledSeconds = Self.kept(cancelledSeconds)
        self.returnedSeconds = Self.kept(returnedSeconds)
        self.failedSeconds = Self.kept(failedSeconds)
    }

    private static func kept(_ seconds: Int) -> Int { min(max(seconds, 0), Dismissal.keptSecondsMax) }

    /// Nil while the delivery is live.
    public func dismissal(of status: DeliverySnapshot.Status) -> Dismissal? {
        switch status {
        case .delivered: .after(seconds: deliveredSeconds)
        case .cancelled: .after(seconds: cancelledSeconds)
        case .returned: .after(seconds: returnedSeconds)
        case .failed: .after(seconds: failedSeconds)
        case .placed, .accepted, .picking, .staged, .pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning:
            nil
        }
    }
}
