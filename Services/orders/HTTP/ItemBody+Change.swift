import DoorstepAPI
import Foundation
import OrderDomain
import ServiceRuntime

extension ItemBody {
    /// The change that the body asks for.
    ///
    /// - Parameter item: the item that it is about; nil where the delivery has no such item, which the domain refuses.
    func change(of item: Item?, at now: Date) throws -> ItemChange {
        switch status {
        case .found, .short:
            try quantity.map { try check($0, "quantity") }
            return .found(quantity: quantity ?? item?.quantity ?? 1)
        case .outOfStock: return .outOfStock
        case .removed: return .removed
        case .refunded: return .refunded
        case .substituteProposed:
            let seconds = answerSeconds ?? 600
            guard (30...3600).contains(seconds) else {
                throw Problem.malformed("answerSeconds", "must be 30 to 3600")
            }
            return .proposed(try domainSubstitute(of: item), answerUntil: now.addingTimeInterval(Double(seconds)))
        case .substituted: return .substituted(try domainSubstitute(of: item))
        case .pending: throw Problem.malformed("status", "pending is what an item begins as, not what it can become")
        }
    }

    /// Minor units by which a substitute may cost more or less.
    private static let priceDifferenceMax = 1_000_000_000

    private func check(_ quantity: Int, _ path: String) throws {
        guard (0...999).contains(quantity) else { throw Problem.malformed(path, "must be 0 to 999") }
    }

    private func domainSubstitute(of item: Item?) throws -> Substitute {
        guard let substitute else { throw Problem.malformed("substitute", "is required for \(status.rawValue)") }
        try substitute.name.checkPlainText("substitute.name", charactersMax: PlaceOrder.nameCharactersMax)
        try substitute.quantity.map { try check($0, "substitute.quantity") }
        let difference = substitute.priceDifferenceMinorUnits ?? 0
        guard (-Self.priceDifferenceMax...Self.priceDifferenceMax).contains(difference) else {
            throw Problem.malformed(
                "substitute.priceDifferenceMinorUnits", "must be within \(Self.priceDifferenceMax) of 0")
        }
        return Substitute(
            name: substitute.name, quantity: substitute.quantity ?? item?.quantity ?? 1,
            priceDifferenceMinorUnits: difference)
    }
}
