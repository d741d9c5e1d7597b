public import OrderDomain

extension BoardBody.Row {
    /// The reason why it waits for an operator; nil without one.
    public var need: OperatorNeed? {
        OperatorNeed(
            domainStatus, flags: Set(flags), hasOpenDispute: disputedAt != nil, isUnproven: undecidedSince != nil,
            isCorrectionDue: correctionsDue != nil)
    }

    /// The status behind the two codes.
    public var domainStatus: DeliveryStatus { DeliveryStatus(status, courierStatus) }
}

extension DeliveryStatus {
    /// The status behind two codes, as bodies have them.
    init(_ code: StatusCode, _ courierStatus: CourierStatus?) {
        switch code.region {
        case .store(let store): self = .preparing(store, courierStatus ?? .unassigned)
        case .courier(let courier): self = .preparing(.placed, courier)
        case .tail(let tail): self = .handedOver(tail)
        }
    }
}
