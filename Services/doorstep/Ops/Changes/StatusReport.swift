import ArgumentParser
import DoorstepAPI
import OrderDomain

/// The customer-facing details of a status, in flags.
struct StatusReport: ParsableArguments {
    @Option(
        help: "The customer-facing reason: \(Self.values(CustomerReason.self)).",
        transform: { try Self.parsed($0) })
    var customerReason: CustomerReason?
    @Option(
        help: "The customer-facing next step: \(Self.values(NextStep.self)).",
        transform: { try Self.parsed($0) })
    var nextStep: NextStep?
    @Option(help: "The customer's refund for the delivery, in the currency's smallest unit.")
    var refund: Int?

    func body(_ status: StatusCode, reason: String?) -> StatusBody {
        StatusBody(
            status: status, reason: reason, customerReason: customerReason, nextStep: nextStep, refundMinorUnits: refund
        )
    }

    private static func values<Value: RawRepresentable & CaseIterable>(_ type: Value.Type) -> String
    where Value.RawValue == String {
        Value.allCases.map(\.rawValue).joined(separator: ", ")
    }

    private static func parsed<Value: RawRepresentable & CaseIterable>(_ text: String) throws -> Value
    where Value.RawValue == String {
        guard let value = Value(rawValue: text) else {
            throw ValidationError("\(text) is none of \(values(Value.self))")
        }
        return value
    }
}
