import DoorstepAPI
import OrderDomain
import ServiceRuntime

extension StatusBody {
    /// The customer's notice; only the shop may promise refunds and next steps.
    func notice(by principal: Principal) throws -> CustomerNotice {
        if case .courier = principal.subject, nextStep != nil || refundMinorUnits != nil {
            throw Problem.promiseNotAllowed(nextStep != nil ? "nextStep" : "refundMinorUnits")
        }
        return CustomerNotice(
            reason: customerReason, nextStep: nextStep, refundMinorUnits: try refundMinorUnits?.refund())
    }
}

extension Int {
    /// The number as `refundMinorUnits` of a body.
    ///
    /// - Throws: ``Problem`` 400 for a negative amount or one above the limit.
    func refund() throws -> Int {
        guard (0...CustomerNotice.refundMinorUnitsMax).contains(self) else {
            throw Problem.malformed("refundMinorUnits", "must be 0 to \(CustomerNotice.refundMinorUnitsMax)")
        }
        return self
    }
}
