import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import ServiceRuntime

extension PlaceOrder {
    /// Notes every rule that a body breaks.
    func check(_ body: PlaceOrderBody, _ check: inout BodyCheck) {
        check.plainText(body.reference, "reference", charactersMax: OrderReference.charactersMax)
        check.plainText(body.store.name, "store.name", charactersMax: Self.nameCharactersMax)
        check.require(
            TimeZone(identifier: body.store.timeZone) != nil, "store.timeZone",
            "must be an IANA time zone, such as Europe/Copenhagen")
        if let contact = body.store.contact { Self.check(contact, &check) }
        checkReach(body, &check)
        limits.check(body.promise, "promise", at: clock.now, &check)
        Self.check(body.recipient, body.address, body.note, &check)
        check.require(
            body.store.currency?.isKnown ?? true, "store.currency", "must be an ISO 4217 code, such as DKK")
        check.require(
            (1...Self.deliveriesMax).contains(body.deliveries.count), "deliveries",
            "must be 1 to \(Self.deliveriesMax) deliveries")
        for (index, part) in body.deliveries.prefix(Self.deliveriesMax).enumerated() {
            if let promise = part.promise {
                limits.check(promise, "deliveries[\(index)].promise", at: clock.now, &check)
            }
            Self.check(part.items, "deliveries[\(index)].items", &check)
        }
    }

    /// Checks that each way to reach the store is a link that customers can follow.
    private static func check(_ contact: StoreContact, _ check: inout BodyCheck) {
        check.require(
            contact.phone != nil || contact.url != nil, "store.contact", "must have a phone or a url, or be left out")
        if let phone = contact.phone {
            check.plainText(phone, "store.contact.phone", charactersMax: phoneCharactersMax)
            check.require(phone.isEmpty || contact.callURL != nil, "store.contact.phone", "must be a telephone number")
        }
        if let url = contact.url {
            check.plainText(url, "store.contact.url", charactersMax: StoreContact.urlCharactersMax)
            check.require(contact.hasPageURL, "store.contact.url", "must be the https:// URL of a page")
        }
    }

    private func checkReach(_ body: PlaceOrderBody, _ check: inout BodyCheck) {
        let reach = limits.reach(from: body.store.location, to: body.door)
        let max = "at most \(limits.reachMetresMax / 1_000) km are taken"
        switch reach {
        case .within: break
        case .beyond(let metres):
            check.require(
                false, "door", "is \(metres / 1_000) km from the store; \(max)", reading: ["store.location"])
        case .swapped(let metres):
            check.require(
                false, "door",
                "is \(metres / 1_000) km from the store; are latitude and longitude swapped, here or at the store?",
                reading: ["store.location"])
        }
    }

    private static func check(
        _ recipient: Recipient?, _ address: Address?, _ note: String?, _ check: inout BodyCheck
    ) {
        for (text, path, charactersMax) in [
            (recipient?.name, "recipient.name", nameCharactersMax),
            (recipient?.phone, "recipient.phone", phoneCharactersMax),
            (address?.street, "address.street", 120), (address?.floor, "address.floor", 40),
            (address?.postalCode, "address.postalCode", 16), (address?.city, "address.city", 60),
            (address?.doorCode, "address.doorCode", 24), (note, "note", 280),
        ] {
            if let text { check.plainText(text, path, charactersMax: charactersMax) }
        }
    }

    private static func check(_ items: [PlaceOrderBody.Line], _ path: String, _ check: inout BodyCheck) {
        check.require((1...itemsMax).contains(items.count), path, "must be 1 to \(itemsMax) lines")
        check.require(Set(items.map(\.id)).count == items.count, path, "must not name an item twice")
        for (index, item) in items.prefix(itemsMax).enumerated() {
            check.plainText(item.name, "\(path)[\(index)].name", charactersMax: nameCharactersMax)
            check.require(
                (1...999).contains(item.quantity ?? 1), "\(path)[\(index)].quantity", "must be 1 to 999")
        }
    }
}

extension OrderLimits {
    /// Rejects an implausible promise.
    ///
    /// - Parameter path: the path of the promise; empty at the top of a body.
    func check(_ promise: Promise, _ path: String, at now: Date, _ check: inout BodyCheck) {
        let end = path.isEmpty ? "end" : "\(path).end"
        check.require(
            !isPast(promise, at: now), end,
            "is more than \(promiseGraceSeconds / 60) minutes ago; it was \(now.ISO8601Format()) when this was read")
        check.require(
            !isTooFarAhead(promise, at: now), end, "is more than \(Int(Self.promiseAheadDays)) days ahead")
    }
}
