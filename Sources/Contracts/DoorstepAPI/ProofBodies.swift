public import Foundation
public import OrderDomain

/// A proof that a delivery requires at the door, and its result.
public struct ProofStateBody: Codable, Hashable, Sendable {
    public let kind: ProofKind
    public let state: State
    /// When it was given, refused or waived; nil while it is missing.
    public let at: Date?
    /// The person or provider it comes from; nil for customers and couriers, while it is missing, and in events.
    public let by: String?
    /// The operator's reason, of a waived proof; nil for customers and couriers.
    public let reason: String?
    /// The photo or signature, for `GET /v1/deliveries/{id}/images/{image}`.
    ///
    /// Nil for other proofs, for couriers, and for customers of a store that shows them none.
    public let image: String?

    public enum State: String, CaseIterable, Codable, Hashable, Sendable {
        case missing, passed, refused, waived
    }

    private init(_ kind: ProofKind, _ result: GivenProof?, showsAuthor: Bool, showsReason: Bool, showsImage: Bool) {
        self.kind = kind
        state =
            switch result?.outcome {
            case .passed: .passed
            case .refused: .refused
            case .waived: .waived
            case nil: .missing
            }
        at = result?.at
        by = showsAuthor ? result?.by : nil
        reason = showsReason ? result?.reason : nil
        image = showsImage ? result?.image : nil
    }

    /// The proofs that a delivery requires now, sorted by kind; nil for none.
    static func all(
        of delivery: Delivery, showsAuthor: Bool, showsReason: Bool, showsImage: Bool
    ) -> [ProofStateBody]? {
        let required = delivery.requiredProofs
        guard !required.isEmpty else { return nil }
        return required.map {
            ProofStateBody(
                $0, delivery.proof?.result(of: $0), showsAuthor: showsAuthor, showsReason: showsReason,
                showsImage: showsImage)
        }
    }
}

/// The request body of `POST /v1/deliveries/{id}/proofs`: the PIN that the customer gave, the result of the age check,
/// or the bag's barcode.
public struct GiveProofBody: Codable, Sendable {
    /// Four digits.
    public var pin: String?
    public var age: AgeCheck?
    /// As it was read or typed.
    public var barcode: String?
    /// The sender's own id of the PIN that was entered, a UUID: the last wrong one, sent again under it, counts once.
    public var entry: String?

    public enum AgeCheck: String, CaseIterable, Codable, Sendable {
        case passed, refused
    }

    public init(pin: String? = nil, age: AgeCheck? = nil, barcode: String? = nil, entry: String? = nil) {
        self.pin = pin
        self.age = age
        self.barcode = barcode
        self.entry = entry
    }
}

extension GiveProofBody: StrictBody {
    public static let example = GiveProofBody(
        pin: "0417", age: .passed, barcode: "NH-1042-1", entry: "0b2f6a54-37d7-4d0e-9f0b-6f0c5a1d2e3f")
}
