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
