/// Reasons of a hold that programs tell apart; all others are free text.
public enum HoldReason {
    /// The reason of a courier who cannot go on with any of their deliveries.
    public static let brokenVehicle = "courier: the vehicle has broken down"
}
