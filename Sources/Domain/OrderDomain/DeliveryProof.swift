public import Foundation

/// A proof that a hand-over at the door may require.
public enum ProofKind: String, CaseIterable, Hashable, Comparable, Codable, Sendable {
    /// The customer's number, which the courier enters.
    case pin
    case photo, signature
    /// The courier's check of a person's age; no date of birth is kept.
    case age
    /// The barcode of the bag.
    case barcode

    /// Whether it is given by an image.
    public var isImage: Bool {
        switch self {
        case .photo, .signature: true
        case .pin, .age, .barcode: false
        }
    }

    /// Whether it is of one courier's visit to one door; a PIN and a barcode prove the same at any door.
    var isOfVisit: Bool {
        switch self {
        case .photo, .signature, .age: true
        case .pin, .barcode: false
        }
    }

    /// Whether a person at the door gives it, so that the goods cannot be left there.
    public var needsPerson: Bool {
        switch self {
        case .pin, .signature, .age: true
        case .photo, .barcode: false
        }
    }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The result of one proof at the door.
public struct GivenProof: Hashable, Codable, Sendable {
    public enum Outcome: String, CaseIterable, Hashable, Codable, Sendable {
        case passed
        /// The check was made, and the person did not pass.
        case refused
        /// An operator has let the goods be handed over without it.
        case waived
    }

    public let kind: ProofKind
    public let outcome: Outcome
    /// The person or provider it comes from, such as `courier mira`; nil where unknown.
    public let by: String?
    /// Domain time.
    public let at: Date
    /// The operator's reason, of a waived proof.
    public let reason: String?
    /// The hash of the photo or signature, which `orders` keeps by it; nil for other proofs, and for a provider's.
    public let image: String?
}

/// The proofs of one delivery: the required ones, and the given ones with their authors.
///
/// The customer's PIN is not in it: `orders` alone keeps that.
public struct DeliveryProof: Hashable, Codable, Sendable {
    /// Wrong PINs after which a person decides.
    public static let pinTriesMax = 5
    /// Photos and signatures of one delivery, those of reopened hand-overs included.
    public static let imagesMax = 10

    /// The proofs that the order requires of this delivery whatever is in the bag, each once, sorted.
    public let required: [ProofKind]
    /// The text of the bag's barcode; nil where the order has none.
    public let barcode: String?
    /// In the order in which they were given; of one kind the last counts.
    public internal(set) var given: [GivenProof]
    /// Proofs that a failed attempt, another door, another courier or a reopening has voided; they are on record and prove
    /// nothing now.
    public internal(set) var former: [GivenProof]?
    /// Wrong PINs since the delivery was placed, or reopened.
    public internal(set) var wrongPINs: Int
    /// The id of the last wrong PIN's entry, which is sent again where its answer was lost; nil where it had none.
    public internal(set) var lastWrongEntry: UUID?
    /// The provider's report of a hand-over that lacks a proof; it is applied once the proof is given.
    public internal(set) var claim: ProviderReport?
    /// Since when a person has to decide about a missing proof; nil while none has to.
    public internal(set) var undecidedSince: Date?
    /// Since when the customer has the goods by the courier's word, while a proof of that is missing.
    public internal(set) var handedOverAt: Date?
    /// When the delivery became `delivered` as of the courier's word, or as of a provider's report that a person
    /// confirmed; nil for another end.
    public internal(set) var confirmedAt: Date?
    /// When an operator corrected the door last; a hand-over until then was at another.
    public internal(set) var doorMovedAt: Date?
    /// When a person set the delivery to `attempted` last; a hand-over that a provider reports of until then was none,
    /// unless the report has all proofs and the customer's PIN is among them.
    public internal(set) var attemptedAt: Date?

    public init(required: some Sequence<ProofKind>, barcode: String? = nil) {
        self.required = Set(required).sorted()
        self.barcode = barcode
        given = []
        wrongPINs = 0
    }

    /// A bag's barcode as it is kept and compared: without the white space around it.
    public static func comparedBarcode(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The result that counts of a kind; nil before the first.
    public func result(of kind: ProofKind) -> GivenProof? { given.last { $0.kind == kind } }

    /// The photos and signatures, those of reopened hand-overs first.
    public var images: [String] { ((former ?? []) + given).compactMap(\.image) }

    /// The kind of a photo or signature; nil for an unknown one.
    public func kind(ofImage image: String) -> ProofKind? {
        ((former ?? []) + given).last { $0.image == image }?.kind
    }

    public var pinTriesLeft: Int { max(0, Self.pinTriesMax - wrongPINs) }

    /// Whether a hand-over needs it no more: it was passed, or an operator has waived it.
    func isMet(_ kind: ProofKind) -> Bool {
        switch result(of: kind)?.outcome {
        case .passed, .waived: true
        case .refused, nil: false
        }
    }
}
