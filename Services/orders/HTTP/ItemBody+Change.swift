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
        if let quantity = body.quantity {
            require(quantity, in: quantityRange, "quantity", &check)
            let isCounted = ![.outOfStock, .removed, .refunded].contains(status)
            check.require(
                isCounted || quantity == 0 || !quantityRange.contains(quantity), "quantity",
                "is how many were found: none are \(status.rawValue)", reading: ["status"])
        }
        check.require(
            status != .short || body.quantity != nil, "quantity", "is required for short", reading: ["status"])
        if let seconds = body.answerSeconds {
            require(seconds, in: answerSecondsRange, "answerSeconds", &check)
            check.require(
                status == .substituteProposed || !answerSecondsRange.contains(seconds), "answerSeconds",
                "is for substitute_proposed, which asks the customer", reading: ["status"])
        }
        if let refund = body.refundMinorUnits {
            let max = CustomerNotice.refundMinorUnitsMax
            check.require((0...max).contains(refund), "refundMinorUnits", "must be 0 to \(max)")
        }
        check.reason(body.reason)
        check.require(
            status == .pending || status.hasSubstitute == (body.substitute != nil), "substitute",
            status.hasSubstitute ? "is required for \(status.rawValue)" : "is for substitute_proposed and substituted",
            reading: ["status"])
        guard let substitute = body.substitute else { return }
        check.plainText(substitute.name, "substitute.name", charactersMax: PlaceOrder.nameCharactersMax)
        if let quantity = substitute.quantity {
            require(quantity, in: 1...quantityRange.upperBound, "substitute.quantity", &check)
        }
        let difference = substitute.priceDifferenceMinorUnits ?? 0
        check.require(
            (-priceDifferenceMax...priceDifferenceMax).contains(difference), "substitute.priceDifferenceMinorUnits",
            "must be within \(priceDifferenceMax) of 0")
    }

    private static func require(
        _ number: Int, in range: ClosedRange<Int>, _ path: String, _ check: inout BodyCheck
    ) {
        check.require(range.contains(number), path, "must be \(range.lowerBound) to \(range.upperBound)")
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

    /// The substitute in the body: by the name of the item's present one it has that one's number and price, unless the
    /// body has others.
    ///
    /// - Throws: `Problem` for a `quantity` that is neither none, the ordered one nor the substitute's.
    private func domainSubstitute(of item: Item?) throws -> Substitute {
        guard let substitute else { throw Problem.malformed("substitute", "is required for \(status.rawValue)") }
        let present = item?.substitute?.name == substitute.name ? item?.substitute : nil
        let number = substitute.quantity ?? present?.quantity ?? item?.quantity ?? 1
        guard item == nil || [nil, 0, item?.quantity, number].contains(quantity) else {
            throw Problem.malformed("quantity", "is how many were found; of the substitute it is substitute.quantity")
        }
        return Substitute(
            name: substitute.name, quantity: number,
            priceDifferenceMinorUnits: substitute.priceDifferenceMinorUnits ?? present?.priceDifferenceMinorUnits ?? 0)
    }
}
