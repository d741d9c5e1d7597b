internal import InterfaceTexts
internal import LiveActivity
package import OrderDomain

/// The words of operators for the codes of a delivery, which requests and JSON have.
private let texts = Words(locale: "en").texts

extension StatusCode {
    /// `on the way` for `en_route`.
    package var text: String { texts("status.\(rawValue)") }
}

extension CourierStatus {
    /// `no courier` for `unassigned`.
    package var text: String { texts("status.\(rawValue)") }
}

extension ItemStatus {
    /// `out of stock` for `out_of_stock`.
    package var text: String { texts("item.\(rawValue)") }
}

extension Flag {
    /// `on hold` for `on_hold`.
    package var text: String { texts("mark.\(rawValue)") }
}

extension [Flag] {
    /// The flags in words; empty without flags.
    package var text: String { map(\.text).joined(separator: ", ") }
}

extension CustomerReason {
    /// `as the customer asked` for `customer_request`.
    package var text: String { texts("reason.\(rawValue)") }

    /// The words of a reason, or the text itself where it is none of the codes.
    package static func text(_ reason: String) -> String { CustomerReason(rawValue: reason)?.text ?? reason }
}

extension NextStep {
    /// `another attempt follows` for `redelivery`.
    package var text: String { texts("next.\(rawValue)") }
}

extension CorrectedField {
    /// `door code` for `door_code`.
    package var text: String { texts("corrected.\(rawValue)") }
}

extension CorrectionDue {
    /// `the provider may have the former details` for `provider`.
    package var text: String { texts("due.\(rawValue)") }
}

extension Milestone {
    /// `on time again` for `on_time`.
    package var text: String { texts("milestone.\(rawValue)") }
}
