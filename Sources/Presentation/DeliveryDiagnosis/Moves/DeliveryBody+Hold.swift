package import DoorstepAPI
internal import OrderDomain

extension DeliveryBody {
    /// Whether its courier's broken vehicle holds it, so that a move to another courier releases it.
    package var isHeldForVehicle: Bool { flags.contains(.onHold) && reason == CourierProblem.vehicle.reason }
}
