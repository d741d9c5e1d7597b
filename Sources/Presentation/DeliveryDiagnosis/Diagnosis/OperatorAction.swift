package import OrderDomain

/// Something that an operator can do where a delivery or a card is not well; each medium names it in its own way, such as
/// by a command or by a button.
package enum OperatorAction: Hashable, Sendable {
    /// Gives the delivery a courier, or another one.
    case assignCourier
    /// Lets the delivery go on after a hold.
    case release
    /// Moves the delivery to one of these.
    case setStatus([StatusCode])
    /// Pushes what is true now to the delivery's cards once more.
    case resend
    /// Takes another card of the same customer off the screen.
    case endCard
    /// Finds which part of Doorstep does not do its work.
    case checkServices
}
