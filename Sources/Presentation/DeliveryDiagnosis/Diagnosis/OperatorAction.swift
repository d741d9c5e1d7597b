package import OrderDomain

/// An operator's action on a faulty delivery or card; each medium names it in its own way, such as by a command or by a
/// button.
package enum OperatorAction: Hashable, Sendable {
    /// Assigns a courier to the delivery, or another one.
    case assignCourier
    /// Gives all live deliveries of their courier to another one.
    case assignAll(from: CourierID)
    /// Calls a person of the delivery.
    case call(Callee)
    /// Corrects the door and the address.
    case correctAddress
    /// Reports what a person did about a correction.
    case settleCorrection(CorrectionDue)
    /// Releases the delivery from a hold.
    case release
    /// Moves the delivery to one of these.
    case setStatus([StatusCode])
    /// Pushes the present state to the delivery's cards once more.
    case resend
    /// Ends another card of the same customer.
    case endCard
    /// Finds which part of Doorstep does not do its work.
    case checkServices

    /// A person of a delivery who may have a number.
    package enum Callee: Hashable, Sendable {
        case customer
        case courier(name: String)

        /// The person in a sentence.
        package var name: String {
            switch self {
            case .customer: "the customer"
            case .courier(let name): name
            }
        }
    }
}
