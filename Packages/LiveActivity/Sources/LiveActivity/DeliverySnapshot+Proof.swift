extension DeliverySnapshot {
    /// A proof that the hand-over requires, as its customer is shown it.
    public struct Proof: Hashable, Sendable {
        public enum Kind: String, CaseIterable, Hashable, Sendable {
            case pin, photo, signature, age, barcode
        }

        public enum State: Hashable, Sendable {
            case missing
            /// Given, or waived by the shop.
            case met
            case refused
        }

        public let kind: Kind
        public let state: State

        public init(kind: Kind, state: State) {
            self.kind = kind
            self.state = state
        }
    }

    /// The customer's PIN for a card: only while the courier is near and the PIN was not given yet.
    var shownPIN: String? {
        guard !isOnHold, !isHandedOver, proofs.contains(Proof(kind: .pin, state: .missing)) else { return nil }
        switch status {
        case .arriving, .atDoor: return pin
        case .placed, .accepted, .picking, .staged, .pickedUp, .enRoute, .attempted, .returning, .delivered, .returned,
            .cancelled, .failed:
            return nil
        }
    }

    /// The required proofs that are missing, a line for each.
    var proofLines: [Phrase] {
        proofs.filter { $0.state == .missing }.map { Phrase($0.kind.code) }
    }

    var isAgeRefused: Bool { proofs.contains(Proof(kind: .age, state: .refused)) }
}

extension DeliverySnapshot.Proof.Kind {
    fileprivate var code: PhraseCode {
        switch self {
        case .pin: .detailsPIN
        case .photo: .detailsPhoto
        case .signature: .detailsSignature
        case .age: .detailsAge
        case .barcode: .detailsBarcode
        }
    }
}
