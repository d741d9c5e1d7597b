import InterfaceTexts
import LiveActivity
import OrderDomain

/// The forms of a stop for what is missing before its hand-over.
extension CourierPage {
    /// The values of the forms for a PIN, a photo, a signature and a barcode, as far as the page accepts them now.
    func proofValues(_ delivery: Delivery) -> [String: Any] {
        guard delivery.canBeProven, delivery.fetchedFrom == nil, !delivery.flags.contains(.onHold) else { return [:] }
        let kinds = delivery.missingProofs.filter { accepts($0, of: delivery) }
        var values: [String: Any] = [:]
        for kind in kinds where kind != .age {
            var form: [String: Any] = [
                "path": "\(path)/proofs", "id": delivery.id.rawValue, "name": words.name(of: kind),
                "label": words.texts("courier.take.\(kind.rawValue)"),
            ]
            switch kind {
            case .pin:
                form["button"] = words.texts("courier.pin.check")
                if let proof = delivery.proof, proof.wrongPINs > 0 {
                    form["left"] = words.texts("courier.pin.left", ["left": String(proof.pinTriesLeft)])
                }
            case .signature:
                form["clear"] = words.texts("courier.signature.clear")
                form["button"] = words.texts("courier.signature.done")
            case .barcode:
                form["button"] = words.texts("courier.barcode.check")
                form["scan"] = words.texts("courier.barcode.scan")
            case .photo, .age: break
            }
            values[kind.rawValue] = form
        }
        // Without a network the courier goes on once the page has all that is missing.
        if kinds == delivery.missingProofs, !kinds.isEmpty {
            values["afterProofs"] = [
                "id": delivery.id.rawValue, "kinds": kinds.map(\.rawValue).joined(separator: " "),
                "action": CourierAction.handedOver.rawValue, "label": words.button(.handedOver),
            ]
        }
        return values
    }

    /// Whether a stop has a field to type a PIN or a barcode in.
    var hasInput: Bool {
        day.stops.contains { stop in
            let forms = proofValues(stop.expected(at: day.now))
            return forms["pin"] != nil || forms["barcode"] != nil
        }
    }

    /// Whether the page accepts a proof of this kind now.
    private func accepts(_ kind: ProofKind, of delivery: Delivery) -> Bool {
        switch kind {
        case .pin: delivery.proof?.pinTriesLeft != 0
        case .photo, .signature: keepsImages
        case .barcode: delivery.proof?.barcode != nil
        case .age: delivery.canCheckAge
        }
    }
}
