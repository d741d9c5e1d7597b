extension Delivery {
    /// Whether its customer may see on a map where the courier is: from pickup to the door, and only while the courier
    /// has the goods and at most `stopsMax` other stops before this one; not after a hand-over by the courier's word.
    ///
    /// Never a provider's courier: the shop does not know their other stops.
    public func mayShowCourier(stopsMax: Int) -> Bool {
        guard isDoorAhead, courier != nil, fetchedFrom == nil, store.tracksCouriers ?? true, !isCarriedByProvider,
            !flags.contains(.onHold), stopsBefore <= stopsMax
        else { return false }
        return switch status {
        // Before the courier has left the store, only for the next stop.
        case .handedOver(.pickedUp): stopsBefore == 0
        case .handedOver(.enRoute), .handedOver(.arriving): true
        case .preparing, .handedOver(.atDoor), .handedOver(.attempted), .handedOver(.returning),
            .handedOver(.delivered), .handedOver(.returned), .handedOver(.cancelled), .handedOver(.failed):
            false
        }
    }
}
