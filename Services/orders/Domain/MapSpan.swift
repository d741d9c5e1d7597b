import Foundation
import OrderDomain

/// The time since when a delivery's map shows its courier without interruption, as far as this process has read the
/// delivery.
struct MapSpan: Hashable, Sendable {
    /// The delivery's version at the last read.
    let version: Int
    let courier: CourierID
    /// A fix from before is not shown.
    let since: Date

    /// The same span at a later read of the delivery, which shows its courier; nil where the delivery may have shown
    /// nothing, or another courier, in between.
    ///
    /// One change leads from each version to the next, so nothing is between these two.
    func continued(by delivery: Delivery) -> MapSpan? {
        guard delivery.courier?.id == courier, (version...version + 1).contains(delivery.version) else { return nil }
        return MapSpan(version: delivery.version, courier: courier, since: since)
    }
}
