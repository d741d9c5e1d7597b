import DoorstepAPI
import OrderDomain
import ServiceRuntime

extension StatusBody {
    /// The customer's notice; only the shop may promise refunds and next steps.
    func notice(by principal: Principal) throws -> CustomerNotice {
        if case .courier = principal.subject, nextStep != nil || refundMinorUnits != nil {
            throw Problem.promiseNotAllowed(nextStep != nil ? "nextStep" : "refundMinorUnits")
        }
        let max = CustomerNotice.refundMinorUnitsMax
        if let refundMinorUnits, !(0...max).contains(refundMinorUnits) {
            throw Problem.malformed("refundMinorUnits", "must be 0 to \(max)")
        }
        return CustomerNotice(reason: customerReason, nextStep: nextStep, refundMinorUnits: refundMinorUnits)
    }
}
