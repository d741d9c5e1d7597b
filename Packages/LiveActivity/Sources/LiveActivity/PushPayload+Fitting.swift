import Foundation

extension PushPayload {
    /// Names are cut to these many characters in turn, until the payload fits.
    private static let nameCharacters = [40, 30, 24, 16, 12, 8]

    /// The payload shortened until it fits one push, the least important parts first.
    ///
    /// The device keeps attributes and content together in 4 KB (ActivityKit), so both are counted, also where a push
    /// carries the content alone. In order: the button's name for the courier, the detail, the alert's body, flags that
    /// only decorate, the courier's stops, and then ever shorter names. Equal payloads give equal results.
    /// - Parameter attributesBytes: the size of the card's attributes at its start; nil for these attributes, shortened
    ///   too.
    func fitted(beside attributes: GroceryDeliveryAttributes, attributesBytes: Int? = nil) -> PushPayload {
        var payload = self
        if payload.fits(beside: attributes, attributesBytes) { return payload }
        for step in Self.steps {
            step(&payload.aps)
            if payload.fits(beside: attributes, attributesBytes) { return payload }
        }
        var shortAttributes = attributes
        for count in Self.nameCharacters {
            payload.aps.shortenNames(to: count)
            shortAttributes = shortAttributes.shortened(to: count)
            if payload.fits(beside: shortAttributes, attributesBytes) { return payload }
        }
        return payload
    }

    private static let steps: [@Sendable (inout APS) -> Void] = [
        { aps in aps.contentState.buttons = aps.contentState.buttons.map(\.unnamed) },
        { aps in aps.contentState.detail = nil },
        { aps in
            aps.alert = aps.alert.map {
                PushAlert(title: $0.title, body: PushText(Phrase(.alertFollow)), sound: $0.sound)
            }
        },
        { aps in aps.contentState.flags.removeAll { !GroceryDeliveryAttributes.ContentState.pausingFlags.contains($0) }
        },
        { aps in
            aps.contentState.courier = aps.contentState.courier.map {
                Courier(
                    name: $0.name, vehicle: $0.vehicle, silentSince: $0.silentSince, isTracked: $0.isTracked)
            }
        },
    ]

    private mutating func fits(beside attributes: GroceryDeliveryAttributes, _ attributesBytes: Int?) -> Bool {
        // A part that does not encode has no size; `checked(attributesBytes:)` then refuses the payload as unreadable.
        func count(_ value: some Encodable) -> Int { (try? Self.bytes(value).count) ?? 0 }
        let whole = (try? countBytes()) ?? 0
        guard whole <= Self.payloadBytesMax else { return false }
        // The content is a part of the whole, and in a start the attributes are too: mostly nothing else is to be counted.
        if attributesBytes == nil, aps.attributes == attributes { return true }
        let beside = attributesBytes ?? count(attributes)
        return beside + whole <= Self.payloadBytesMax || beside + count(aps.contentState) <= Self.payloadBytesMax
    }
}

extension PushPayload.APS {
    fileprivate mutating func shortenNames(to count: Int) {
        attributes = attributes?.shortened(to: count)
        contentState.headline = contentState.headline.shortened(to: count)
        contentState.courier = contentState.courier.map {
            Courier(
                name: $0.name.shortened(to: count), vehicle: $0.vehicle.shortened(to: count),
                stopsBefore: $0.stopsBefore, silentSince: $0.silentSince, isTracked: $0.isTracked)
        }
        alert = alert.map {
            PushAlert(title: $0.title.shortened(to: count), body: $0.body.shortened(to: count), sound: $0.sound)
        }
    }
}

extension GroceryDeliveryAttributes {
    /// Shortens the texts and keeps ids and times, which the card has already.
    fileprivate func shortened(to count: Int) -> GroceryDeliveryAttributes {
        GroceryDeliveryAttributes(
            card: card, activity: activity, delivery: delivery, reference: reference?.shortened(to: count),
            store: store.shortened(to: count), bag: bag, itemCount: itemCount, promise: promise, timeZone: timeZone,
            shop: shop)
    }
}

extension CardButton {
    fileprivate var unnamed: CardButton {
        guard let known = Verb(rawValue: verb) else { return self }
        return CardButton(verb: verb, title: TextCatalogue.english.verb(known), url: url)
    }
}

extension Phrase {
    /// The phrase with its names shortened, and its English rendered from them; times, counts and amounts stay.
    fileprivate func shortened(to count: Int) -> Phrase {
        guard let known = PhraseCode(rawValue: code) else {
            return Phrase(
                code: code, values: values.mapValues { $0.shortened(to: count) }, text: text.shortened(to: 2 * count))
        }
        let names = TextCatalogue.english.phrase(known)?.textNames ?? []
        let shorter = values.map { name, value in (name, names.contains(name) ? value.shortened(to: count) : value) }
        return Phrase(known, Dictionary(uniqueKeysWithValues: shorter))
    }
}

extension PushText {
    fileprivate func shortened(to count: Int) -> PushText {
        switch self {
        case .plain(let text): .plain(text.shortened(to: 2 * count))
        case .localized(let key, let arguments):
            .localized(key: key, arguments: arguments.map { $0.shortened(to: count) })
        }
    }
}

extension String {
    /// At most `count` characters and four bytes for each, with an ellipsis for the removed part.
    ///
    /// A character may be many bytes (a letter with any number of marks), so counting characters alone bounds nothing.
    func shortened(to count: Int) -> String {
        let bytesMax = 4 * count
        guard self.count > count || utf8.count > bytesMax else { return self }
        var kept = ""
        var bytes = "…".utf8.count
        for character in prefix(count - 1) {
            bytes += character.utf8.count
            if bytes > bytesMax { break }
            kept.append(character)
        }
        while kept.last == " " { kept.removeLast() }
        return kept + "…"
    }
}
