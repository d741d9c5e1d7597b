import DeliveryDiagnosis
import OrderDomain

extension OperatorAction {
    /// The command line of the action on a delivery, with an ellipsis for the missing values.
    func command(for delivery: String) -> String {
        switch self {
        case .assignCourier: "doorstep ops assign \(delivery) --courier … --reason …"
        case .release: "doorstep ops release \(delivery) --reason …"
        case .setStatus(let codes):
            "doorstep ops set-status \(delivery) --status \(Self.choice(codes)) --reason …"
        case .resend: "doorstep ops resend \(delivery) --reason …"
        case .endCard: "doorstep ops end-card …"
        case .checkServices: "doorstep admin doctor"
        }
    }

    /// A choice of codes: `at_door, or returning,`.
    private static func choice(_ codes: [StatusCode]) -> String {
        let names = codes.map(\.rawValue)
        return names.count > 1 ? names.joined(separator: ", or ") + "," : names.joined()
    }
}
