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

    /// Of an item: the number of questions about it is for links alone.
    private static let itemOthers: Set = ["proposals"]

    @Test("Every field that an item has is in an archive, or is one that none has")
    func itemFields() throws {
        let delivery = try Delivery.sample()
        let item = try #require(delivery.items.first)
        let line = try #require(ExportedDelivery(DeliveryRecord(delivery: delivery)).items.first)
        let names = ["id": "item", "foundQuantity": "found"]
        let fields = Set(Mirror(reflecting: item).children.compactMap(\.label)).subtracting(Self.itemOthers)
        #expect(Set(Mirror(reflecting: line).children.compactMap(\.label)) == Set(fields.map { names[$0] ?? $0 }))
    }

    @Test("An archive says of a packed substitute that the customer was asked about another one")
    func unaskedSubstitute() throws {
        var delivery = try Delivery.sample()
        try delivery.advance(to: .picking)
        let milk = delivery.items[0].id
        let agreed = Substitute(name: "Oat milk", quantity: 2, priceDifferenceMinorUnits: 0)
        let dearer = Substitute(name: "Oat milk", quantity: 2, priceDifferenceMinorUnits: 900)
        try delivery.change(.item(milk, .proposed(agreed, answerUntil: delivery.promise.end)))
        for (change, isUnasked) in [
            (.answer(milk, proposal: 1, isApproved: true), nil), (.item(milk, .substituted(dearer)), true),
        ] as [(DeliveryChange, Bool?)] {
            try delivery.change(change)
            let record = ExportedDelivery(DeliveryRecord(delivery: delivery))
            #expect(record.items[0].hasUnaskedSubstitute == isUnasked)
        }
    }
}
