import DoorstepAPI
import OrderDomain
import ServiceRuntime

extension StatusBody {
    /// What the customer is to be told; what is given back and what comes next is the shop's to say.
    func notice(by principal: Principal) throws -> CustomerNotice {
        if case .courier = principal.subject, nextStep != nil || refundMinorUnits != nil {
            throw Problem.promiseNotAllowed(nextStep != nil ? "nextStep" : "refundMinorUnits")
        }
        return CustomerNotice(
            reason: customerReason, nextStep: nextStep, refundMinorUnits: try refundMinorUnits?.refund())
    }
}

extension Int {
    /// The same number as `refundMinorUnits` of a body.
    ///
    /// - Throws: a problem where nobody can be refunded so much, or less than nothing.
    func refund() throws -> Int {
        guard (0...CustomerNotice.refundMinorUnitsMax).contains(self) else {
            throw Problem.malformed("refundMinorUnits", "must be 0 to \(CustomerNotice.refundMinorUnitsMax)")
        }
        return self
    }
}
