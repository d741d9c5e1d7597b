import DeliveryDiagnosis
import DoorstepAPI
import OrderDomain

/// The forms of corrections.
extension DeskHTTP {
    /// The values of the form of the door and its address: as it was sent, as the customer asks for it, or as it is.
    func dropOffChoices(_ delivery: DeliveryBody, _ fields: [String: String]) -> [String: Any] {
        let asked = delivery.requestedAddress
        let dropOff = DropOff(recipient: nil, address: asked ?? delivery.address, note: delivery.note)
        let texts = ChangeForm.dropOffFields.map { field, charactersMax -> [String: Any] in
            let value = fields[field.rawValue] ?? dropOff?[field] ?? ""
            return [
                "name": field.rawValue, "label": Self.label(field.text), "value": value,
                "charactersMax": charactersMax,
            ]
        }
        var values: [String: Any] = [
            "texts": texts, "door": fields["door"] ?? "", "sameDoor": fields["sameDoor"] == "true",
            "isAsked": asked != nil,
        ]
        values["present"] = delivery.door.map { ChangeForm.text($0) }
        return values
    }

    /// The values of the form of the recipient: the name as it was sent or as it is, and the number as it was sent.
    func recipientChoices(_ delivery: DeliveryBody, _ fields: [String: String]) -> [String: Any] {
        [
            "name": fields["recipient_name"] ?? delivery.recipient?.name ?? "",
            "phone": fields["recipient_phone"] ?? "", "removePhone": fields["removePhone"] == "true",
        ]
    }

    /// The values of the form of a further item, as it was sent.
    func itemChoices(_ fields: [String: String]) -> [String: Any] {
        ["name": fields["name"] ?? "", "quantity": fields["quantity"] ?? "1", "class": fields["class"] ?? ""]
    }

    private static func label(_ text: String) -> String {
        String(text.prefix(1)).uppercased() + String(text.dropFirst())
    }
}

extension CorrectionDue {
    /// The step that a person has made, as an operator reports it.
    var doneText: String {
        switch self {
        case .decision: "The address stays: the customer's request is declined"
        case .provider: "The provider has the new values"
        }
    }
}
