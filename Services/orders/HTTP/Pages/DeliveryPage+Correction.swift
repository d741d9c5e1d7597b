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
    ///
    /// - Parameter sent: a form that was refused, whose texts are kept; nil for none.
    func correctionForms(after sent: SentCorrection?) -> [String: Any]? {
        let allowed = allowedCorrections
        guard !allowed.isEmpty else { return nil }
        var values: [String: Any] = [
            "title": texts("page.correct"), "path": path + "/drop-off", "back": path, "keep": texts("page.back"),
        ]
        if allowed.contains(.note) {
            var form = input(.note, state.dropOff?.note, after: sent)
            form["button"] = texts("page.correct.save")
            form["seen"] = "\(sent?.seen ?? delivery.correction?.number ?? 0)"
            values["noteForm"] = form
        }
        if allowed.contains(.address) { values["addressForm"] = addressForm(after: sent) }
        return values
    }

    /// The input of a field.
    ///
    /// - Parameter text: the present one; nil for none.
    private func input(_ field: CorrectedField, _ text: String?, after sent: SentCorrection?) -> [String: Any] {
        [
            "name": field.rawValue, "label": texts("page.correct.\(field.rawValue)"),
            "value": sent?.texts[field] ?? text ?? "", "max": "\(field.charactersMax ?? 0)",
            "isFaulty": sent?.faulty == field,
        ]
    }

    private func addressForm(after sent: SentCorrection?) -> [String: Any] {
        let address = state.dropOff?.requestedAddress ?? state.dropOff?.address
        let known = DropOff(recipient: nil, address: address, note: nil)
        let fields = Self.addressFields.map { field -> [String: Any] in
            var values = input(field, known?[field], after: sent)
            values["isNeeded"] = field == .street
            return values
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
