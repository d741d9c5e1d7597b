import InterfaceTexts
package import LiveActivity
package import PhoneRules

extension CardFace {
    /// The face of a card at `now`, in the language of `words`.
    ///
    /// - Parameters:
    ///   - isAlwaysOn: whether the screen is static: clock times then replace timers, where they are precise enough.
    ///   - medium: the medium of the drawing.
    package init(
        _ card: PhoneCard, words: Words, now: Int, isAlwaysOn: Bool = false, in medium: CardMedium
    ) {
        let content = card.content
        let attributes = card.attributes
        let zone = attributes.timeZone
        let life = Life(card.state)
        let timer = isAlwaysOn || life != .live ? nil : content.timerRange(now: now)
        let doubt = life == .stale || content.isUncertain || !content.isTracked ? "?" : ""
        func clock(_ words: Words) -> String? {
            content.arrival.flatMap { words.shortTime($0.to, timeZone: zone, now: now) }.map { $0 + doubt }
        }
        // Five characters, for a side of the island that has no room for a half of the day.
        let clock24 = clock(Words(words.catalogue.writing(.hours24)))
        let sideClock = clock(words).map { medium.fitsIslandSide($0) ? $0 : clock24 ?? $0 }
        let isSummary = attributes.delivery == nil
        let remaining = timer.map { words.remaining(seconds: $0.upperBound - $0.lowerBound) }
        func safe(_ text: String) -> String { medium.safeText(text) }
        let within = remaining.map { safe(words.texts("card.within", ["time": $0])) }
        let headline = Headline(card, words: words, now: now, medium: medium)
        let headlineText = headline.text { medium.fitsHeadline($0, within, life) }
        let question = headline.question
        let promiseChanges = Self.promiseChanges(content, words: words, timeZone: zone, now: now).map(safe)

        self.init(
            tint: life == .stale ? .orange : content.tint,
            life: life,
            glyph: Self.glyph(content),
            store: safe(attributes.store),
            reference: [attributes.reference, words.bag(attributes)].compactMap { $0.map(safe) }
                .joined(separator: " · "),
            shortPhase: words.shortPhase(content),
            summary: isSummary ? "" : words.items(attributes),
            headline: headlineText,
            question: question,
            remaining: remaining,
            within: within,
            remainingShort: remaining.map { medium.fitsIslandSide($0) ? $0 : content.minutesText(now: now) ?? $0 }
                ?? sideClock ?? Self.count(content),
            remainingShortest: timer == nil ? clock24 : content.minutesText(now: now),
            pin: words.pin(content).map(safe),
            arrival: words.arrival(content, attributes, now: now, isStale: life == .stale),
            arrivalShort: content.arrival.map { words.window($0, timeZone: zone, now: now) },
            promise: words.promise(content, attributes, now: now),
            courier: Self.courier(content, words: words, timeZone: zone, now: now).map(safe),
            detail: words.detail(content, attributes, now: now).map(safe),
            announcement: Self.sentences(question ?? headlineText, promiseChanges),
            progress: isSummary ? nil : content.progress,
            hasBegun: !content.isUnconfirmed,
            marker: Self.marker(content, life: life),
            steps: words.stepNames,
            buttons: content.buttons.map {
                Button(
                    title: safe(words.title($0, in: content)), shortTitle: safe(words.shortTitle($0, in: content)),
                    url: $0.url, verb: $0.verb)
            },
            leaves: card.dismissedAt.map { safe(words.leavesScreen(at: $0, timeZone: zone, now: now)) })
    }

    private static func courier(
        _ content: GroceryDeliveryAttributes.ContentState, words: Words, timeZone: String, now: Int
    ) -> String? {
        guard let courier = content.courier else { return nil }
        let stops = courier.stopsBefore.map { count in
            let phrase = Phrase(
                code: "stops_before", values: ["stops": String(count)], text: "\(count) stops before you")
            return words.text(phrase, timeZone: timeZone, now: now)
        }
        return [courier.name, words.vehicle(courier.vehicle), stops].compactMap(\.self).joined(separator: " · ")
    }

    /// The texts of a late and of a moved promise, also where an instruction or a question leads the detail.
    private static func promiseChanges(
        _ content: GroceryDeliveryAttributes.ContentState, words: Words, timeZone: String, now: Int
    ) -> [String] {
        guard let detail = content.detail else { return [] }
        return detail.code.split(separator: "+").filter { promiseChangeCodes.contains(String($0)) }.map { code in
            words.text(
                Phrase(code: String(code), values: detail.values, text: detail.text), timeZone: timeZone, now: now)
        }
    }

    /// Sentences in a row: a full stop ends each but the last, unless it is a question.
    private static func sentences(_ first: String, _ others: [String]) -> String {
        others.reduce(first) { text, next in
            let isQuestion = text.hasSuffix("?") || text.hasSuffix("\u{61F}")
            return text + (isQuestion ? " " : ". ") + next
        }
    }

    private static let promiseChangeCodes: Set<String> = ["delayed", "rescheduled", "rescheduled_to_day"]

    /// The number of picked items and of all items, while the store picks them.
    private static func count(_ content: GroceryDeliveryAttributes.ContentState) -> String? {
        guard let values = content.detail?.values, let found = values["found"], let items = values["items"] else {
            return nil
        }
        return "\(found)/\(items)"
    }

    private static func marker(_ content: GroceryDeliveryAttributes.ContentState, life: Life) -> Marker {
        if life == .stale { return .lost }
        if content.flags.contains(DeliverySnapshot.Flag.onHold.rawValue) { return .paused }
        if content.isUncertain { return .lost }
        if content.headline.code == DeliverySnapshot.Status.returning.rawValue { return .back }
        return content.phase == .problem || content.isWaitingForCustomer ? .trouble : .moving
    }

    /// The letter-like glyph for the phase's symbol, for media without images.
    private static func glyph(_ content: GroceryDeliveryAttributes.ContentState) -> String {
        switch content.symbolName {
        case "bag": "○"
        case "basket": "◔"
        case "shippingbox": "■"
        case "bicycle", "car": "▲"
        case "location": "◆"
        case "door.left.hand.open": "⌂"
        case "square.stack": "≡"
        case "checkmark.circle": "✓"
        case "xmark.circle": "×"
        case "arrow.uturn.backward.circle": "←"
        case "exclamationmark.triangle", "exclamationmark.circle": "!"
        default: "•"
        }
    }
}

/// The first line of a card: its state, or since when there is no news where it is stale.
private struct Headline {
    let phrase: Phrase
    let timeZone: String
    let now: Int
    let words: Words
    /// The text that replaces the phrase.
    let noNews: String?
    let isQuestion: Bool
    let medium: CardMedium

    init(_ card: PhoneCard, words: Words, now: Int, medium: CardMedium) {
        let content = card.content
        let zone = card.attributes.timeZone
        let isStale = card.state == .stale && !content.headline.code.hasPrefix("courier_silent")
        let isPickedUp = content.progress >= CardFace.stops[2]
        let silent = isStale && isPickedUp && content.isTracked ? content.courier : nil
        phrase =
            silent.map { courier in
                Phrase(
                    code: "courier_silent", values: ["courier": courier.name, "since": String(card.shownSince)],
                    text: "No news from \(courier.name)")
            } ?? content.headline
        noNews =
            isStale && silent == nil
            ? words.noNews(since: card.shownSince, timeZone: zone, now: now) : nil
        isQuestion = content.isWaitingForCustomer && !isStale
        timeZone = zone
        self.now = now
        self.words = words
        self.medium = medium
    }

    func text(fitting fits: (String) -> Bool) -> String {
        medium.safeText(noNews ?? words.text(phrase, timeZone: timeZone, now: now) { fits(medium.safeText($0)) })
    }

    /// The question in rows of its own, so that it is not cut in the middle of a name.
    var question: String? {
        guard isQuestion else { return nil }
        let question = text { medium.fitsQuestion($0) }
        return medium.fitsHeadline(question, nil, .live) ? nil : question
    }
}

extension CardFace.Life {
    fileprivate init(_ state: PhoneCard.State) {
        switch state {
        case .pending, .active: self = .live
        case .stale: self = .stale
        case .ended, .dismissed: self = .ended
        }
    }
}
