public import OrderDomain

/// The fields of a delivery that its reader may see besides its state.
///
/// Every answer about a delivery uses a disclosure, so that all answers agree.
public struct Disclosure: Hashable, Sendable {
    /// The customer and the door's position: hidden from couriers after the end.
    public let customerAndDoor: Bool
    /// The recipient, the address with its door code, and the note: hidden from couriers after the end.
    public let dropOff: Bool
    /// The courier: hidden from customers before pickup.
    public let courier: Bool
    /// Why it was changed: operators and stores write reasons for each other.
    public let reasons: Bool

    public init(_ delivery: Delivery, for reader: Principal) {
        switch reader.subject {
        case .customer:
            customerAndDoor = true
            dropOff = true
            courier = delivery.pickedUpAt != nil
            reasons = false
        case .courier:
            customerAndDoor = !delivery.status.isEnded
            dropOff = !delivery.status.isEnded
            courier = true
            reasons = false
        case .store, .operator, .system:
            customerAndDoor = true
            dropOff = true
            courier = true
            reasons = true
        }
    }
}
