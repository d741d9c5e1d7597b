public import OrderDomain

extension BoardBody.Row {
    /// The reason why it waits for an operator; nil without one.
    public var need: OperatorNeed? {
        let status: DeliveryStatus =
            switch self.status.region {
            case .store(let store): .preparing(store, courierStatus ?? .unassigned)
            case .courier(let courier): .preparing(.placed, courier)
            case .tail(let tail): .handedOver(tail)
            }
        return OperatorNeed(status, flags: Set(flags))
    }
}
