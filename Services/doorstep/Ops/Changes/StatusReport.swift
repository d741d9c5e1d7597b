import ArgumentParser
import DoorstepAPI
import OrderDomain

/// What is said with a status, in flags; the customer reads all of it.
struct StatusReport: ParsableArguments {
    @Option(
        help: "Why it went wrong, as the customer reads it: \(Self.values(CustomerReason.self)).",
        transform: { try Self.parsed($0) })
    var customerReason: CustomerReason?
    @Option(
        help: "What comes next, as the customer reads it: \(Self.values(NextStep.self)).",
        transform: { try Self.parsed($0) })
    var nextStep: NextStep?
    @Option(help: "What the customer gets back for the delivery, in the currency's smallest unit.")
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
