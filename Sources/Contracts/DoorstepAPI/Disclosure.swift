public import OrderDomain

/// The fields of a delivery that its reader may see besides its state.
///
/// Every answer about a delivery uses a disclosure, so that all answers agree. A card does not: it names the assigned
/// courier, also before pickup.
public struct Disclosure: Hashable, Sendable {
    /// The customer and the door's position: hidden from couriers after the end.
    public let customerAndDoor: Bool
    /// The recipient, the address with its door code, and the note: hidden from couriers after the end.
    public let dropOff: Bool
    /// The recipient's number: hidden from operators, who read it as a contact, which is recorded.
    public let phone: Bool
    /// The code of the street door: for those who go there, and for operators who may change a delivery.
    public let doorCode: Bool
    /// The courier as a field of the answer: hidden from customers before pickup.
    public let courier: Bool
    /// The number by which the customer proves themselves at the door: theirs alone.
    public let pin: Bool
    /// Why it was changed: operators and stores write reasons for each other.
    public let reasons: Bool
    /// The customer's feedback: hidden from couriers, whom it does not rate.
    public let feedback: Bool
    /// Another address that the customer asked for: hidden from couriers, who go to the present one.
    public let requestedAddress: Bool

    public init(_ delivery: Delivery, for reader: Principal) {
        self.init(isPickedUp: delivery.pickedUpAt != nil, isEnded: delivery.status.isEnded, for: reader)
    }

    init(isPickedUp: Bool, isEnded: Bool, for reader: Principal) {
        switch reader.subject {
        case .customer:
            customerAndDoor = true
            dropOff = true
            phone = true
            doorCode = true
            courier = isPickedUp
            pin = true
            reasons = false
            feedback = true
            requestedAddress = true
        case .courier:
            customerAndDoor = !isEnded
            dropOff = !isEnded
            phone = true
            doorCode = true
            courier = true
            pin = false
            reasons = false
            feedback = false
            requestedAddress = false
        case .operator:
            customerAndDoor = true
            dropOff = true
            phone = false
            doorCode = reader.may(.dispatcher)
            courier = true
            pin = false
            reasons = true
            feedback = true
            requestedAddress = true
        case .store, .system:
            customerAndDoor = true
            dropOff = true
            phone = true
            doorCode = true
            courier = true
            pin = false
            reasons = true
            feedback = true
            requestedAddress = true
        }
    }

    /// The recipient as the reader may see them.
    func recipient(_ recipient: Recipient?) -> Recipient? {
        guard dropOff, let recipient else { return nil }
        return phone ? recipient : Recipient(name: recipient.name)
    }

    /// The address as the reader may see it.
    func address(_ address: Address?) -> Address? {
        guard dropOff, let address else { return nil }
        guard !doorCode else { return address }
        return Address(
            street: address.street, floor: address.floor, postalCode: address.postalCode, city: address.city)
    }
}
