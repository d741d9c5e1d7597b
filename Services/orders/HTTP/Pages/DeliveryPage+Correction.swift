import CardPresentation
import LiveActivity
import OrderDomain

/// The forms by which a customer corrects the note, or asks for another address.
extension DeliveryPage {
    private static let addressFields: [CorrectedField] = [.street, .floor, .postalCode, .city, .doorCode]

    /// The corrections that this reader may make now.
    private var allowedCorrections: [CustomerCorrection] {
        state.isProven ? CorrectFromPage.allowed(for: delivery) : []
    }

    /// The way to the forms; nil for a reader who may correct nothing.
    var correctionLink: [String: Any]? {
        guard !allowedCorrections.isEmpty else { return nil }
        return ["path": path + "?correct=true", "id": "do-correct", "label": texts("page.correct")]
    }

    /// The forms; nil for a reader who may correct nothing.
    var correctionForms: [String: Any]? {
        let allowed = allowedCorrections
        guard !allowed.isEmpty else { return nil }
        var values: [String: Any] = [
            "title": texts("page.correct"), "path": path + "/drop-off", "back": path, "keep": texts("page.back"),
        ]
        if allowed.contains(.note) {
            values["noteForm"] = [
                "label": texts("page.correct.note"), "value": state.dropOff?.note ?? "",
                "button": texts("page.correct.save"), "seen": "\(delivery.correction?.number ?? 0)",
            ]
        }
        if allowed.contains(.address) { values["addressForm"] = addressForm }
        return values
    }

    private var addressForm: [String: Any] {
        let address = state.dropOff?.requestedAddress ?? state.dropOff?.address
        let known = DropOff(recipient: nil, address: address, note: nil)
        let fields = Self.addressFields.map { field -> [String: Any] in
            [
                "name": field.rawValue, "label": texts("page.correct.\(field.rawValue)"),
                "value": known?[field] ?? "", "isNeeded": field == .street,
            ]
        }
        return [
            "text": texts("page.correct.address", ["store": delivery.store.name.withoutDirectionControls]),
            "fields": fields, "button": texts("page.correct.ask"),
        ]
    }

    /// The line about an address that the customer asked for and the shop has not decided about; empty without one.
    var requestLines: [String] {
        guard let line = state.dropOff?.requestedAddress?.line else { return [] }
        return [texts("page.asked", ["address": line.withoutDirectionControls])]
    }
}
