import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import OrderDomain
import ServiceRuntime
import WireCoding

extension Problem {
    init(_ refusal: ChangeDelivery.Refusal) {
        switch refusal {
        case .notFound(let id): self = .notFound("no delivery \(id)")
        }
    }

    init(_ unknown: UnknownCourier) {
        self = .unprocessable(
            unknown.description, slug: "unknown-courier",
            errors: [
                .init(
                    path: "courier", message: "is no courier that is described or has a live delivery",
                    allowed: unknown.candidates.map(\.courier.rawValue))
            ])
    }

    /// Items that a refusal names.
    private static let namedItemsMax = 20

    init(_ refusal: ChangeRefusal) {
        switch refusal {
        case .transition(let invalid):
            self = .impossibleTransition(invalid.description, allowed: invalid.allowed.map(\.rawValue))
            errors = [.init(path: "status", message: "cannot be \(invalid.to.rawValue) now")]
        case .unknownItem(let id, let known):
            let shown = known.prefix(Self.namedItemsMax).map(\.rawValue).joined(separator: ", ")
            let more = known.count > Self.namedItemsMax ? ", and \(known.count - Self.namedItemsMax) more" : ""
            self = .notFound("the delivery has no item \(id); it has \(shown)\(more)")
        case .itemSettled(let id, let status):
            self = .conflict("item \(id) is \(status.rawValue) already", slug: "item-settled")
        case .wrongQuantity(let id, let ordered):
            self = .unprocessable(
                "item \(id) was ordered \(ordered) times", slug: "wrong-quantity",
                errors: [.init(path: "quantity", message: "must be 0 to \(ordered)")])
        case .staleProposal(let id):
            self = .conflict("item \(id) has another proposal now", slug: "stale-proposal")
        case .answerAfterPromise(let end):
            self = .unprocessable(
                "the order is promised until \(WireJSON.text(of: end)); an answer after that comes too late",
                slug: "answer-after-promise",
                errors: [.init(path: "answerSeconds", message: "must end before the promise does")])
        case .notInStore:
            self = .conflict("items can change only until pickup", slug: "not-in-store")
        case .tooLate(let why):
            self = .conflict(why, slug: "too-late")
        case .notDelivered(let code):
            self = .conflict("feedback is about a delivered delivery; it is \(code.rawValue)", slug: "not-delivered")
        case .cannotLeaveAtDoor(let verification):
            self = .conflict(
                "the courier must check \(verification.rawValue) at the door", slug: "cannot-leave-at-door")
        case .personNeeded(let kinds):
            self = .conflict(
                "a person at the door gives \(Self.names(of: kinds))", slug: "cannot-leave-at-door",
                extra: ["missing": kinds.map(\.rawValue)])
        case .proofMissing(let kinds):
            self = .conflict(
                "the delivery needs \(Self.names(of: kinds)) before it is delivered", slug: "proof-missing",
                extra: ["missing": kinds.map(\.rawValue)])
        case .proofNotRequired(let kind):
            self = .conflict("the delivery requires no \(kind.rawValue)", slug: "proof-not-required")
        case .pinTriesUsed:
            self = .conflict(
                "\(DeliveryProof.pinTriesMax) wrong PINs were entered; an operator decides", slug: "pin-tries-used")
        case .tooManyImages:
            self = .conflict(
                "the delivery has \(DeliveryProof.imagesMax) photos and signatures", slug: "too-many-images")
        case .wrongBarcode:
            self = .unprocessable(
                "the barcode is another bag's", slug: "wrong-barcode",
                errors: [.init(path: "barcode", message: "is not the bag's")])
        case .barcodeUnknown:
            self = .conflict("the order has no barcode of the bag; an operator decides", slug: "barcode-unknown")
        case .cannotReopen(let code):
            self = .unprocessable(
                "a delivery that has ended cannot go on as \(code.rawValue)", slug: "cannot-reopen",
                errors: [.init(path: "status", message: "names no place to go on from")])
        case .nothingToExplain(let code):
            self = .unprocessable(
                "nothing goes wrong by \(code.rawValue), so there is no reason or next step to tell",
                slug: "nothing-to-explain",
                errors: [.init(path: "status", message: "must be attempted, returning, returned, cancelled or failed")])
        case .incomplete(let field):
            let isStreet = field == .street
            self = .unprocessable(
                isStreet ? "an address needs a street" : "a telephone number needs a name",
                slug: "incomplete-drop-off",
                errors: [.init(path: isStreet ? field.path : "name", message: "cannot be left out")])
        case .doorMissing:
            self = .unprocessable(
                "another street, postal code or city needs the door's position too, the same one where it has not moved",
                slug: "door-missing", errors: [.init(path: "door", message: "is missing")])
        case .itemExists(let id):
            self = .conflict("the delivery has an item \(id) already", slug: "item-exists")
        case .tooManyItems(let max):
            self = .unprocessable(
                "a delivery has at most \(max) items", slug: "too-many-items",
                errors: [.init(path: "items", message: "are too many")])
        case .courierMissing:
            self = .conflict("assign a courier first: PUT /v1/deliveries/{id}/courier", slug: "courier-missing")
        }
    }

    private static func names(of kinds: [ProofKind]) -> String {
        kinds.map(\.rawValue).joined(separator: ", ")
    }

    init(_ refusal: GiveProof.Refusal, at clock: DomainClock) {
        switch refusal {
        case .wrongPIN(let triesLeft):
            self = .unprocessable(
                "the PIN is another; \(triesLeft) tries are left", slug: "wrong-pin",
                errors: [.init(path: "pin", message: "is not the customer's")])
            extra = ["tries_left": triesLeft]
        case .tooManyWrong(let until):
            self = Problem(
                .tooManyRequests, "too-many-wrong-pins", title: "Too many wrong PINs of several deliveries",
                detail: "further ones are read after \(WireJSON.text(of: until))")
            let seconds = clock.wallDuration(until: until) / .seconds(1)
            retryAfter = Int(seconds.rounded(.up))
        case .unreadable:
            self = .conflict("the customer's PIN cannot be read; an operator decides", slug: "pin-tries-used")
        }
    }

    init(_ refusal: GiveImage.Refusal) {
        switch refusal {
        case .notKept:
            self = .conflict(
                "this installation keeps no images: pins.keys.file is not set", slug: "images-not-kept")
        }
    }

    init(_ fault: ProofImage.Fault) {
        self = .unprocessable(
            fault.description, slug: "image-refused", errors: [.init(path: "", message: fault.description)])
    }

    init(_ refusal: ShareCourierPage.Refusal) {
        switch refusal {
        case .notFound: self = .notFound("no such link")
        case .revoked: self = Problem(.gone, "link-revoked", title: "The link was revoked")
        }
    }

    init(_ refusal: PressStop.Refusal) {
        switch refusal {
        case .notTheirs: self = .notFound("no such delivery of this courier")
        case .notPossible(let status):
            self = .conflict("the delivery is \(status.rawValue) now", slug: "stale-press")
        case .proofMissing(let kinds): self = Problem(ChangeRefusal.proofMissing(kinds))
        case .tooLate: self = .conflict("it was carried out already", slug: "too-late")
        case .tooOld:
            self = .conflict(
                "it ended more than \(Int(CourierAction.endedSeconds / 3_600)) hours ago; call the store",
                slug: "too-late")
        case .anotherPress: self = .conflict("the press of this id was another", slug: "stale-press")
        }
    }

    init(_ refusal: ShareDelivery.Refusal) {
        switch refusal {
        case .notFound(let id): self = .notFound("no delivery \(id)")
        case .revokedTooOften:
            self = .conflict("its links were revoked \(Link.viewNumberMax) times", slug: "revoked-too-often")
        }
    }

    init(_ conflict: IdempotentRequest.Conflict) {
        switch conflict {
        case .keyReused: self = .idempotencyKeyReused()
        case .inFlight: self = .idempotencyKeyInUse()
        }
    }

    init(_ refusal: PlaceOrder.TooManyDeliveries) {
        self = .conflict(
            "the customer has \(refusal.live) live deliveries, and may have \(refusal.deliveriesMax)",
            slug: "too-many-deliveries")
    }

    init(_ refusal: PlaceOrder.ReferenceInUse) {
        self = .conflict(
            "order \(refusal.order) of this store has the reference \(refusal.reference), and is not over",
            slug: "reference-in-use", extra: ["order": refusal.order])
    }

    init(_ refusal: PressLink.Refusal) {
        switch refusal {
        case .notFound: self = .notFound("no such link")
        case .expired:
            self = Problem(
                .gone, "link-expired", title: "The link has expired", detail: "open the card again for a new one")
        case .revoked:
            self = Problem(
                .gone, "link-revoked", title: "The link was revoked", detail: "ask whoever sent it for a new one")
        case .stale(let body):
            self = .conflict(body.why ?? "this cannot be done any more", slug: "stale-press", extra: ["card": body])
        }
    }

    /// 422: the caller's token is for another store than the body names.
    static func wrongStore(_ only: StoreID) -> Problem {
        .unprocessable(
            "this token is for store \(only)", slug: "wrong-store",
            errors: [.init(path: "store.id", message: "must be \(only)", allowed: [only.rawValue])])
    }

    /// 403: the caller may see the delivery, and may not set this status.
    static func statusNotAllowed(_ code: StatusCode) -> Problem {
        Problem(
            .forbidden, "not-yours-to-set", title: "This status is for others to set",
            detail: "a courier cannot set \(code.rawValue)")
    }

    /// 403: the caller sees the delivery, and is not at its door.
    static func notAtDoor(_ report: String) -> Problem {
        Problem(
            .forbidden, "not-yours-to-set", title: "This check is made at the door",
            detail: "an operator cannot report \(report); delivered with a reason waives the check")
    }

    /// 403: the caller may set the status, and may not promise the customer this.
    static func promiseNotAllowed(_ field: String) -> Problem {
        Problem(
            .forbidden, "not-yours-to-promise", title: "This is for the shop to promise",
            detail: "a courier cannot set \(field)")
    }
}
