package import DoorstepAPI
package import Foundation
package import OrderDomain

extension EstimateBody {
    /// The estimate, unless the courier is at the door or its arrival has passed: without fixes no newer one comes.
    ///
    /// - Parameter now: domain time.
    package func coming(of delivery: DeliveryBody, at now: Date) -> Estimate? {
        guard delivery.status != .atDoor, let estimate = forReaders else { return nil }
        return estimate.arrivesAt > now ? estimate : nil
    }
}
