public import OrderDomain

/// What of a delivery its reader is shown beside its state.
///
/// Every answer about a delivery is made with one, so that no two of them can differ.
public struct Disclosure: Hashable, Sendable {
    /// Whose it is and where the door is: a courier's to know until it has ended.
    public let customerAndDoor: Bool
    /// Who opens, the address with its door code, and the note: a courier's to know until it has ended.
    public let dropOff: Bool
    /// Who brings it: a customer's to know from pickup on.
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
