import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import ServiceRuntime

extension PlaceOrder {
    /// Notes every rule that a body breaks.
    func check(_ body: PlaceOrderBody, _ check: inout BodyCheck) {
        // One of white space alone is none.
        let reference = OrderReference(rawValue: body.reference) == nil ? "" : body.reference
        check.plainText(reference, "reference", charactersMax: OrderReference.charactersMax)
        check.plainText(body.store.name, "store.name", charactersMax: Self.nameCharactersMax)
        check.require(
            TimeZone(identifier: body.store.timeZone) != nil, "store.timeZone",
            "must be an IANA time zone, such as Europe/Copenhagen")
        if let contact = body.store.contact { Self.check(contact, "store.contact", &check) }
        check.require(
            body.language.map(Self.isLanguage) ?? true, "language", "must be a language tag, such as da or pt-BR")
        limits.check(body.door, of: body.store.location, &check)
        if let corrections = body.store.corrections { Self.check(corrections, &check) }
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
            if let barcode = part.barcode {
                check.plainText(
                    DeliveryProof.comparedBarcode(barcode), "deliveries[\(index)].barcode",
                    charactersMax: Self.barcodeCharactersMax)
            }
        }
        checkProofs(body, &check)
    }

    /// Whether a text has the form of a language tag; one without texts is accepted, and the browser's used.
    private static func isLanguage(_ tag: String) -> Bool {
        tag.count <= languageCharactersMax && tag.wholeMatch(of: /[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*/) != nil
    }

    /// Checks that each required proof can be given at the door.
    private func checkProofs(_ body: PlaceOrderBody, _ check: inout BodyCheck) {
        let lines = body.deliveries.prefix(Self.deliveriesMax).flatMap { $0.items.prefix(Self.itemsMax) }
        let all = lines.reduce(into: requiredProofs(of: body)) { kinds, line in
            kinds.formUnion(requiredProofs(of: line, at: body.store.id) ?? [])
        }
        let personal = all.filter(\.needsPerson).sorted().map(\.rawValue).joined(separator: ", ")
        check.require(
            personal.isEmpty || body.handoff?.method != .leaveAtDoor, "handoff.method",
            "cannot be leave_at_door: a person at the door gives \(personal)", reading: ["requires"])
        checkPINs(all, "requires", &check)
    }

    /// Checks that a required PIN can be made.
    func checkPINs(_ kinds: some Sequence<ProofKind>, _ path: String, _ check: inout BodyCheck) {
        check.require(
            !kinds.contains(.pin) || messages.pins != nil, path,
            "has a pin, and this installation makes none: pins.keys.file is not set")
    }

    /// Checks that each way to reach the store is a link that customers can follow.
    static func check(_ contact: StoreContact, _ path: String, _ check: inout BodyCheck) {
        check.require(
            contact.phone != nil || contact.url != nil || contact.email != nil, path,
            "must have a phone, a url or an email, or be left out")
        if let phone = contact.phone {
            check.plainText(phone, "\(path).phone", charactersMax: phoneCharactersMax)
            check.require(phone.isEmpty || contact.callURL != nil, "\(path).phone", "must be a telephone number")
        }
        if let url = contact.url {
            check.plainText(url, "\(path).url", charactersMax: StoreContact.urlCharactersMax)
            check.require(contact.hasPageURL, "\(path).url", "must be the https:// URL of a page")
        }
        if let email = contact.email {
            check.plainText(email, "\(path).email", charactersMax: StoreContact.emailCharactersMax)
            check.require(contact.hasLinkableEmail, "\(path).email", "must be an e-mail address")
        }
    }

    /// Checks that each limit is a status that a delivery reaches at the store or after pickup.
    private static func check(_ corrections: CorrectionLimits, _ check: inout BodyCheck) {
        let limits = [
            ("dropOffUntil", corrections.dropOffUntil), ("recipientUntil", corrections.recipientUntil),
            ("itemsUntil", corrections.itemsUntil), ("promiseUntil", corrections.promiseUntil),
        ]
        for case (let name, let code?) in limits {
            check.require(
                CorrectionLimits.codes.contains(code), "store.corrections.\(name)", "is no limit of corrections",
                allowed: CorrectionLimits.codes.map(\.rawValue))
        }
    }

    private static func check(
        _ recipient: Recipient?, _ address: Address?, _ note: String?, _ check: inout BodyCheck
    ) {
        let dropOff = DropOff(recipient: recipient, address: address, note: note)
        for field in CorrectedField.allCases {
            if let text = dropOff?[field] { field.check(text, &check) }
        }
    }

    /// Checks the lines of a basket, or lines that are added to it.
    static func check(_ items: [PlaceOrderBody.Line], _ path: String, _ check: inout BodyCheck) {
        check.require((1...itemsMax).contains(items.count), path, "must be 1 to \(itemsMax) lines")
        check.require(Set(items.map(\.id)).count == items.count, path, "must not name an item twice")
        for (index, item) in items.prefix(itemsMax).enumerated() {
            check.plainText(item.name, "\(path)[\(index)].name", charactersMax: nameCharactersMax)
            check.require(
                item.class.map(ProofRules.isClass) ?? true, "\(path)[\(index)].class",
                "must be 1 to 40 of a–z, 0–9, _ and -")
            check.require(
                (1...999).contains(item.quantity ?? 1), "\(path)[\(index)].quantity", "must be 1 to 999")
        }
    }
}

extension OrderLimits {
    /// Rejects a door that no courier of the store reaches.
    func check(_ door: Coordinate, of store: Coordinate, _ check: inout BodyCheck) {
        switch reach(from: store, to: door) {
        case .within: break
        case .beyond(let metres):
            check.require(
                false, "door",
                "is \(metres / 1_000) km from the store; at most \(reachMetresMax / 1_000) km are taken",
                reading: ["store.location"])
        case .swapped(let metres):
            check.require(
                false, "door",
                "is \(metres / 1_000) km from the store; are latitude and longitude swapped, here or at the store?",
                reading: ["store.location"])
        }
    }

    /// Rejects an implausible promise.
    ///
    /// - Parameter path: the path of the promise; empty at the top of a body.
    func check(_ promise: Promise, _ path: String, at now: Date, _ check: inout BodyCheck) {
        let (start, end) = path.isEmpty ? ("start", "end") : ("\(path).start", "\(path).end")
        check.require(
            !isPast(promise, at: now), end,
            "is more than \(promiseGraceSeconds / 60) minutes ago; it was \(now.ISO8601Format()) when this was read")
        check.require(
            !isTooFarAhead(promise, at: now), end, "is more than \(Int(Self.promiseAheadDays)) days ahead")
        check.require(
            !isTooLong(promise), start, "is more than \(Int(Self.promiseAheadDays)) days before end", reading: [end])
    }
}
