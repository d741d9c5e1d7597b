import DoorstepAPI
import Foundation
import OrderDomain

/// A delivery in its customer's archive: what the customer may see of it, and every text that they gave.
///
/// A test compares its fields with those of the answers to customers.
struct ExportedDelivery: Encodable {
    let delivery: DeliveryID
    let order: OrderID
    let number: String
    let bag: Int
    let bags: Int
    let store: StoreID
    let storeName: String
    let timeZone: String
    let currency: String?
    let language: String?
    let placedAt: Date
    let promisedFromAt: Date
    let promisedUntilAt: Date
    let firstPromisedFromAt: Date
    let firstPromisedUntilAt: Date
    let status: StatusCode
    let flags: [Flag]
    let statusSinceAt: Date
    let pickedUpAt: Date?
    let endedAt: Date?
    let needsCustomerUntilAt: Date?
    let episode: Int
    let reopenedFrom: StatusCode?
    /// Other doors before this one on the courier's trip.
    let stopsBefore: Int
    let requiredProofs: [ProofKind]
    /// The required ones that are neither passed nor waived.
    let missingProofs: [ProofKind]
    let failure: CustomerReason?
    let nextStep: NextStep?
    let refundMinorUnits: Int?
    let recipient: Recipient?
    let address: Address?
    let requestedAddress: Address?
    let note: String?
    let door: Coordinate
    let handoff: HandoffMethod
    let barcode: String?
    let courier: String?
    let vehicle: Vehicle?
    /// The courier who has the goods until `courier` has fetched them.
    let fetchedFrom: String?
    let items: [Line]
    let arrival: Arrival?
    let feedback: Feedback?
    let correctedFields: [CorrectedField]?
    let correctedAt: Date?

    struct Line: Encodable {
        let item: ItemID
        let name: String
        let quantity: Int
        let found: Int
        let status: ItemStatus
        let ifUnavailable: UnavailablePreference
        /// The proofs that it requires at the door.
        let requires: [ProofKind]?
        let substitute: Substitute?
        /// True for another substitute than the one that the customer was asked about.
        let hasUnaskedSubstitute: Bool?
        let refundMinorUnits: Int?
    }

    /// The newest estimate of the arrival.
    struct Arrival: Encodable {
        let arrivesAt: Date
        let earliestAt: Date
        let latestAt: Date
        let estimatedAt: Date

        init(_ estimate: Estimate) {
            arrivesAt = estimate.arrivesAt
            earliestAt = estimate.earliest
            latestAt = estimate.latest
            estimatedAt = estimate.madeAt
        }
    }

    struct Feedback: Encodable {
        let kind: DeliveryFeedback.Kind
        let items: [ItemID]
        let givenAt: Date
    }
}

extension ExportedDelivery {
    /// The delivery as its customer may see it.
    init(_ record: DeliveryRecord) {
        let delivery = record.delivery
        let disclosure = Disclosure(delivery, for: Principal(.customer(delivery.customer)))
        self.init(
            delivery: delivery.id, order: delivery.order, number: delivery.reference, bag: delivery.bag.number,
            bags: delivery.bag.count, store: delivery.store.id, storeName: delivery.store.name,
            timeZone: delivery.store.timeZone, currency: delivery.store.currency?.rawValue,
            language: delivery.language, placedAt: delivery.placedAt, promisedFromAt: delivery.promise.start,
            promisedUntilAt: delivery.promise.end, firstPromisedFromAt: delivery.originalPromise.start,
            firstPromisedUntilAt: delivery.originalPromise.end, status: delivery.status.code,
            flags: delivery.flags.sorted(), statusSinceAt: delivery.statusSince, pickedUpAt: delivery.pickedUpAt,
            endedAt: delivery.endedAt, needsCustomerUntilAt: delivery.needsCustomerUntil, episode: delivery.episode,
            reopenedFrom: delivery.reopenedFrom, stopsBefore: delivery.stopsBefore,
            requiredProofs: delivery.requiredProofs, missingProofs: delivery.missingProofs,
            failure: delivery.customerReason, nextStep: delivery.nextStep,
            refundMinorUnits: delivery.refundMinorUnits, recipient: record.dropOff?.recipient,
            address: record.dropOff?.address, requestedAddress: record.dropOff?.requestedAddress,
            note: record.dropOff?.note, door: delivery.door, handoff: delivery.handoff.method,
            barcode: delivery.proof?.barcode, courier: disclosure.courier ? delivery.courier?.name : nil,
            vehicle: disclosure.courier ? delivery.courier?.vehicle : nil,
            fetchedFrom: disclosure.courier ? delivery.fetchedFrom?.name : nil,
            items: delivery.items.map(Line.init), arrival: record.estimate.map(Arrival.init),
            feedback: delivery.feedback.map { Feedback(kind: $0.kind, items: $0.items, givenAt: $0.at) },
            correctedFields: delivery.correction?.fields, correctedAt: delivery.correction?.at)
    }
}

extension ExportedDelivery.Line {
    fileprivate init(_ item: Item) {
        self.init(
            item: item.id, name: item.name, quantity: item.quantity, found: item.foundQuantity, status: item.status,
            ifUnavailable: item.ifUnavailable, requires: item.requires, substitute: item.substitute,
            hasUnaskedSubstitute: item.hasUnaskedSubstitute, refundMinorUnits: item.refundMinorUnits)
    }
}

/// An entry of a delivery's timeline in its customer's archive.
struct ExportedEntry: Encodable {
    let delivery: DeliveryID
    let at: Date
    let kind: String
    let change: String
    /// The role of the actor, or the name of a service or provider.
    let by: String
    let reason: String?
    let reportedAt: Date?

    init(_ entry: TimelineEntry, of delivery: DeliveryID) {
        self.delivery = delivery
        at = entry.at
        kind = entry.kind
        change = entry.summary
        by = entry.by
        reason = entry.reason
        reportedAt = entry.report?.occurredAt
    }
}

/// A check at the door in the customer's archive, with its photo or signature where the store shows it to customers.
struct ExportedProof: Encodable {
    let delivery: DeliveryID
    let kind: ProofKind
    let outcome: GivenProof.Outcome
    let givenAt: Date
    var imageType: String?
    /// The bytes in base 64.
    var image: String?
    /// The cause where an image is missing; nil for a proof without one.
    var imageLeftOut: String?

    /// A photo or signature, or why it is left out.
    enum Image {
        case shown(type: String, bytes: [UInt8])
        case leftOut(String)
    }

    mutating func image(_ image: Image) {
        switch image {
        case .shown(let type, let bytes): (imageType, self.image) = (type, Data(bytes).base64EncodedString())
        case .leftOut(let cause): imageLeftOut = cause
        }
    }

    init(_ proof: GivenProof, of delivery: DeliveryID) {
        self.delivery = delivery
        kind = proof.kind
        outcome = proof.outcome
        givenAt = proof.at
    }
}
