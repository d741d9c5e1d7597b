import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Orders

@Suite("Deliveries in archives")
struct ExportedDeliveryTests {
    /// The archive's fields for those of an answer to a customer.
    private static let names: [String: [String]] = [
        "id": ["delivery"], "order": ["order"], "reference": ["number"],
        "store": ["store", "storeName", "timeZone", "currency"], "bag": ["bag", "bags", "barcode"], "door": ["door"],
        "recipient": ["recipient"], "address": ["address"], "note": ["note"], "requestedAddress": ["requestedAddress"],
        "correction": ["correctedFields", "correctedAt"], "status": ["status"], "flags": ["flags"],
        "promise": ["promisedFromAt", "promisedUntilAt"],
        "originalPromise": ["firstPromisedFromAt", "firstPromisedUntilAt"], "handoff": ["handoff"],
        "proofs": ["requiredProofs", "missingProofs"], "items": ["items"], "courier": ["courier", "vehicle"],
        "fetchedFrom": ["fetchedFrom"], "stopsBefore": ["stopsBefore"], "needsCustomerUntil": ["needsCustomerUntilAt"],
        "statusSince": ["statusSinceAt"], "placedAt": ["placedAt"], "endedAt": ["pickedUpAt", "endedAt"],
        "feedback": ["feedback"], "customerReason": ["failure"], "nextStep": ["nextStep"],
        "refundMinorUnits": ["refundMinorUnits"], "episode": ["episode"], "reopenedFrom": ["reopenedFrom"],
    ]

    /// Of no answer: the order has the language, `courier-eta` the arrival.
    private static let more: Set = ["language", "arrival"]

    /// Fields without one: the customer has the archive; a PIN and links are credentials; the others follow from the
    /// status, or are not for customers.
    private static let others: Set = [
        "customer", "pin", "links", "courierStatus", "phase", "allowed", "holder", "version", "activity",
        "correctionsDue", "undecidedSince", "handedOverAt", "disputedAt", "reason",
    ]

    @Test("Every field that an answer to a customer has is in an archive, or is one that none has")
    func fields() throws {
        let customer = try #require(CustomerID(rawValue: "mette"))
        let delivery = try Delivery.sample()
        let body = DeliveryBody(delivery, dropOff: nil, links: [], for: Principal(.customer(customer)))
        let answered = Set(Mirror(reflecting: body).children.compactMap(\.label))
        #expect(answered == Set(Self.names.keys).union(Self.others))
        let record = ExportedDelivery(DeliveryRecord(delivery: delivery))
        let exported = Set(Mirror(reflecting: record).children.compactMap(\.label))
        #expect(exported == Set(Self.names.values.joined()).union(Self.more))
    }
}
