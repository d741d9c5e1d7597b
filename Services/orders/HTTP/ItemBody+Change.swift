import DoorstepAPI
import Foundation
import OrderDomain
import ServiceRuntime

extension ItemBody {
    /// Seconds that a customer may have to answer.
    private static let answerSecondsRange = Promise.answerSecondsMin...3600
    private static let answerSecondsDefault = 600.0
    private static let pendingMessage = "pending is what an item begins as, not what it can become"
    private static let quantityRange = 0...999
    /// Minor units by which a substitute may cost more or less.
    private static let priceDifferenceMax = 1_000_000_000

    /// Records every fault of the body itself; the domain refuses changes that the item's present state forbids.
    @Sendable static func check(_ body: ItemBody, _ check: inout BodyCheck) {
        let status = body.status
        check.require(status != .pending, "status", pendingMessage)
        body.quantity.map { checkQuantity($0, "quantity", &check) }
        if status == .short { check.require(body.quantity != nil, "quantity", "is required for short") }
        if let seconds = body.answerSeconds {
            let range = answerSecondsRange
            check.require(
                range.contains(seconds), "answerSeconds", "must be \(range.lowerBound) to \(range.upperBound)")
        }
        if let refund = body.refundMinorUnits {
            let max = CustomerNotice.refundMinorUnitsMax
            check.require((0...max).contains(refund), "refundMinorUnits", "must be 0 to \(max)")
        }
        check.reason(body.reason)
        if status == .substituteProposed || status == .substituted {
            check.require(body.substitute != nil, "substitute", "is required for \(status.rawValue)")
        }
        guard let substitute = body.substitute else { return }
        check.plainText(substitute.name, "substitute.name", charactersMax: PlaceOrder.nameCharactersMax)
        substitute.quantity.map { checkQuantity($0, "substitute.quantity", &check) }
        let difference = substitute.priceDifferenceMinorUnits ?? 0
        check.require(
            (-priceDifferenceMax...priceDifferenceMax).contains(difference), "substitute.priceDifferenceMinorUnits",
            "must be within \(priceDifferenceMax) of 0")
    }

    private static func checkQuantity(_ quantity: Int, _ path: String, _ check: inout BodyCheck) {
        let range = quantityRange
        check.require(range.contains(quantity), path, "must be \(range.lowerBound) to \(range.upperBound)")
    }

    /// The change that a body asks for in which `check` found no fault.
    ///
    /// - Parameters:
    ///   - item: the item that it is about; nil where the delivery has no such item, which the domain refuses.
    ///   - promise: bounds the time for an answer where the body gives none.
    func change(of item: Item?, promise: Promise, at now: Date) throws -> ItemChange {
        if let refundMinorUnits, refundMinorUnits > 0, !isMissing(item) {
            throw Problem.malformed("refundMinorUnits", "is for an item of which the customer gets less than ordered")
        }
        switch status {
        case .pending: throw Problem.malformed("status", Self.pendingMessage)
        case .found, .short: return .found(quantity: quantity ?? item?.quantity ?? 1)
        case .outOfStock: return .outOfStock
        case .removed: return .removed
        case .refunded: return .refunded
        case .substituteProposed:
            let asked = answerSeconds.map { now.addingTimeInterval(Double($0)) }
            let usual = now.addingTimeInterval(Self.answerSecondsDefault)
            let answerUntil = asked ?? (promise.boundsAnswer(at: now) ? min(usual, promise.end) : usual)
            return .proposed(try domainSubstitute(of: item), answerUntil: answerUntil)
        case .substituted: return .substituted(try domainSubstitute(of: item))
        }
    }

    /// Whether the customer gets less of the item than ordered, as the domain has it.
    private func isMissing(_ item: Item?) -> Bool {
        switch status {
        case .found, .short: item.map { quantity ?? $0.quantity < $0.quantity } ?? true
        case .outOfStock, .removed, .refunded: true
        case .pending, .substituteProposed, .substituted: false
        }
    }

    private func domainSubstitute(of item: Item?) throws -> Substitute {
        guard let substitute else { throw Problem.malformed("substitute", "is required for \(status.rawValue)") }
        return Substitute(
            name: substitute.name, quantity: substitute.quantity ?? item?.quantity ?? 1,
            priceDifferenceMinorUnits: substitute.priceDifferenceMinorUnits ?? 0)
    }
}
