import DomainTime
package import DoorstepAPI
import Foundation
import HTTPTypes
package import OrderDomain
package import ServiceRuntime
import WireCoding

extension Problem {
    /// Names that a refusal lists.
    private static let namesMax = 20

    fileprivate static func names<Name: RawRepresentable<String>>(of all: [Name]) -> String {
        let more = all.count > namesMax ? ", and \(all.count - namesMax) more" : ""
        return all.prefix(namesMax).map(\.rawValue).joined(separator: ", ") + more
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

    /// 422: the body is no image that is kept.
    static func imageRefused(_ fault: String) -> Problem {
        .unprocessable(fault, slug: "image-refused", errors: [.init(path: "", message: fault)])
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
            .forbidden, "not-yours-to-set", title: "This is for others to set",
            detail: "a courier cannot set \(code.rawValue)")
    }

    /// 403: the caller sees the delivery, and is not at its door.
    static func notAtDoor(_ report: String) -> Problem {
        Problem(
            .forbidden, "not-yours-to-set", title: "This is for others to set",
            detail: "an operator cannot report \(report); delivered with a reason waives the check")
    }

    /// 403: a form or a request of a page that was sent from elsewhere.
    static func foreignForm() -> Problem {
        Problem(.forbidden, "foreign-form", title: "Not sent from one of our pages")
    }

    /// 403: the caller may set the status, and may not promise the customer this.
    static func promiseNotAllowed(_ field: String) -> Problem {
        Problem(
            .forbidden, "not-yours-to-promise", title: "This is for the shop to promise",
            detail: "a courier cannot set \(field)")
    }
}

extension ChangeDelivery.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notFound(let id): .notFound("no delivery \(id)")
        }
    }
}

extension UnknownCourier: ProblemConvertible {
    package var problem: Problem {
        .unprocessable(
            description, slug: "unknown-courier",
            errors: [
                .init(
                    path: "courier", message: "is no courier that is described or has a live delivery",
                    allowed: candidates.map(\.courier.rawValue))
            ])
    }
}

extension ChangeRefusal: ProblemConvertible {
    package var problem: Problem {
        switch self {
        case .transition(let invalid):
            .impossibleTransition(
                invalid.description, allowed: invalid.allowed.map(\.rawValue),
                errors: [.init(path: "status", message: "cannot be \(invalid.to.rawValue) now")])
        case .unknownItem(let id, let known):
            .notFound("the delivery has no item \(id); it has \(Problem.names(of: known))")
        case .itemSettled(let id, let status):
            .conflict("item \(id) is \(status.rawValue) already", slug: "item-settled")
        case .wrongQuantity(let id, let ordered):
            .unprocessable(
                "item \(id) was ordered \(ordered) times", slug: "wrong-quantity",
                errors: [.init(path: "quantity", message: "must be 0 to \(ordered)")])
        case .staleProposal(let id):
            .conflict("item \(id) has another proposal now", slug: "stale-proposal")
        case .answerAfterPromise(let end):
            .unprocessable(
                "the order is promised until \(WireJSON.text(of: end)); an answer after that comes too late",
                slug: "answer-after-promise",
                errors: [.init(path: "answerSeconds", message: "must end before the promise does")])
        case .notInStore:
            .conflict("items can change only until pickup", slug: "not-in-store")
        case .tooLate(let why):
            .conflict(why, slug: "too-late")
        case .notDelivered(let code):
            .conflict("feedback is about a delivered delivery; it is \(code.rawValue)", slug: "not-delivered")
        case .cannotLeaveAtDoor(let verification):
            .conflict(
                "the courier must check \(verification.rawValue) at the door", slug: "cannot-leave-at-door")
        case .personNeeded(let kinds):
            .conflict(
                "a person at the door gives \(Problem.names(of: kinds))", slug: "cannot-leave-at-door",
                extra: ["missing": kinds.map(\.rawValue)])
        case .proofMissing(let kinds):
            .conflict(
                "the delivery needs \(Problem.names(of: kinds)) before it is delivered", slug: "proof-missing",
                extra: ["missing": kinds.map(\.rawValue)])
        case .proofNotRequired(let kind):
            .conflict("the delivery requires no \(kind.rawValue)", slug: "proof-not-required")
        case .pinTriesUsed:
            .conflict(
                "\(DeliveryProof.pinTriesMax) wrong PINs were entered; an operator decides", slug: "pin-tries-used")
        case .tooManyImages:
            .conflict(
                "the delivery has \(DeliveryProof.imagesMax) photos and signatures", slug: "too-many-images")
        case .wrongBarcode:
            .unprocessable(
                "the barcode is another bag's", slug: "wrong-barcode",
                errors: [.init(path: "barcode", message: "is not the bag's")])
        case .barcodeUnknown:
            .conflict("the order has no barcode of the bag; an operator decides", slug: "barcode-unknown")
        case .cannotReopen(let code):
            .unprocessable(
                "a delivery that has ended cannot go on as \(code.rawValue)", slug: "cannot-reopen",
                errors: [.init(path: "status", message: "names no place to go on from")])
        case .nothingToExplain(let code):
            .unprocessable(
                "nothing goes wrong by \(code.rawValue), so there is no reason or next step to tell",
                slug: "nothing-to-explain",
                errors: [.init(path: "status", message: "must be attempted, returning, returned, cancelled or failed")])
        case .incomplete(let field):
            .unprocessable(
                field == .street ? "an address needs a street" : "a telephone number needs a name",
                slug: "incomplete-drop-off",
                errors: [.init(path: field == .street ? field.path : "name", message: "cannot be left out")])
        case .doorMissing:
            .unprocessable(
                "another street, postal code or city needs the door's position too, the same one where it has not moved",
                slug: "door-missing", errors: [.init(path: "door", message: "is missing")])
        case .itemExists(let id):
            .conflict("the delivery has an item \(id) already, which differs", slug: "item-exists")
        case .tooManyItems(let max):
            .unprocessable(
                "a delivery has at most \(max) items", slug: "too-many-items",
                errors: [.init(path: "items", message: "are too many")])
        case .courierMissing:
            .conflict("assign a courier first: PUT /v1/deliveries/{id}/courier", slug: "courier-missing")
        }
    }
}

extension GiveImage.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notKept:
            .conflict(
                "this installation keeps no images: pins.keys.file is not set", slug: "images-not-kept")
        }
    }
}

extension ProofImage.Fault: ProblemConvertible {
    var problem: Problem {
        .imageRefused(description)
    }
}

extension ShareCourierPage.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notFound: .notFound("no such link")
        case .revoked: Problem(.gone, "link-revoked", title: "The link was revoked")
        }
    }
}

extension PressStop.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notTheirs: .notFound("no such delivery of this courier")
        case .notPossible(let status):
            .conflict("the delivery is \(status.rawValue) now", slug: "stale-press")
        case .proofMissing(let kinds): ChangeRefusal.proofMissing(kinds).problem
        case .tooLate: .conflict("it was carried out already", slug: "too-late")
        case .tooOld:
            .conflict(
                "it ended more than \(Int(CourierAction.endedSeconds / 3_600)) hours ago; call the store",
                slug: "too-late")
        case .anotherPress: .conflict("the press of this id was another", slug: "stale-press")
        }
    }
}

extension ShareDelivery.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notFound(let id): .notFound("no delivery \(id)")
        case .revokedTooOften:
            .conflict("its links have been revoked so often that no number is left", slug: "revoked-too-often")
        }
    }
}

extension IdempotentRequest.Conflict: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .keyReused: .idempotencyKeyReused()
        case .inFlight: .idempotencyKeyInUse()
        }
    }
}

extension PlaceOrder.TooManyDeliveries: ProblemConvertible {
    var problem: Problem {
        .conflict(
            "the customer has \(live) live deliveries\(store.map { " of \($0)" } ?? ""), and may have \(deliveriesMax)",
            slug: "too-many-deliveries")
    }
}

extension PlaceOrder.ReferenceInUse: ProblemConvertible {
    var problem: Problem {
        .conflict(
            "order \(order) of this store has the reference \(reference), and is not over",
            slug: "reference-in-use", extra: ["order": order])
    }
}

extension PressLink.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notFound: .notFound("no such link")
        case .expired:
            Problem(
                .gone, "link-expired", title: "The link has expired", detail: "open the card again for a new one")
        case .revoked:
            Problem(
                .gone, "link-revoked", title: "The link was revoked", detail: "ask whoever sent it for a new one")
        case .stale(let body):
            .conflict(body.why ?? "this cannot be done any more", slug: "stale-press", extra: ["card": body])
        }
    }
}
