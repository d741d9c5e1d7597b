import DeliveryDiagnosis
import DoorstepAPI
import OrderDomain

extension OperatorAction {
    /// The command line of the action on a delivery, with an ellipsis for the missing values; of a call, the number.
    ///
    /// - Parameter contacts: the numbers of the delivery's people; nil where they were not read.
    func command(for delivery: String, contacts: ContactsBody.Row? = nil) -> String {
        switch self {
        case .assignCourier: "doorstep ops assign \(delivery) --courier … --reason …"
        case .assignAll(let courier): "doorstep ops assign --from \(courier) --courier … --reason …"
        case .call(let callee): "call \(callee.name)" + callee.numberText(for: delivery, contacts)
        case .correctAddress: "doorstep ops correct \(delivery) --street … --door … --reason …"
        case .settleCorrection(let due): "doorstep ops correct \(delivery) --settle \(due.rawValue) --reason …"
        case .release: "doorstep ops release \(delivery) --reason …"
        case .setStatus(let codes):
            "doorstep ops set-status \(delivery) --status \(Self.choice(codes)) --reason …"
        case .resend: "doorstep ops resend \(delivery) --reason …"
        case .endCard: "doorstep ops end-card …"
        case .checkServices: "doorstep admin doctor"
        }
    }

    /// The person to call, as `GET /v1/contacts` names them; nil for another action.
    var calledPerson: String? {
        switch self {
        case .call(.customer): "customer"
        case .call(.courier): "courier"
        case .assignCourier, .assignAll, .correctAddress, .settleCorrection, .release, .setStatus, .resend, .endCard,
            .checkServices:
            nil
        }
    }

    /// A choice of codes: `at_door, or returning,`.
    private static func choice(_ codes: [StatusCode]) -> String {
        let names = codes.map(\.rawValue)
        return names.count > 1 ? names.joined(separator: ", or ") + "," : names.joined()
    }
}

extension OperatorAction.Callee {
    /// The number behind the name, or the command that has it for operators who may read numbers.
    fileprivate func numberText(for delivery: String, _ contacts: ContactsBody.Row?) -> String {
        guard let contacts else { return " (doorstep ops show \(delivery) has the number, for dispatchers)" }
        let person =
            switch self {
            case .customer: contacts.customer
            case .courier: contacts.courier
            }
        return person.map { ", \($0.phone)" } ?? ", whose number is not known"
    }
}
