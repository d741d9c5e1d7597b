import CommandOutput
import LiveActivity
import PhoneRules

extension CardFace {
    /// What a card shows at `now`, in the language of `words`.
    ///
    /// - Parameter isAlwaysOn: whether nothing moves on the screen: clock times then stand for timers.
    init(_ card: PhoneCard, words: Words, now: Int, isAlwaysOn: Bool = false) {
        let content = card.content
        let attributes = card.attributes
        let zone = attributes.timeZone
        let life = Life(card.state)
        let timer = isAlwaysOn || life != .live ? nil : content.timerRange(now: now)
        let doubt = life == .stale || content.isUncertain ? "?" : ""
        let clock = content.arrival.map { words.clock($0.to, timeZone: zone) + doubt }
        let isSummary = attributes.delivery == nil

        self.init(
            tint: life == .stale ? .orange : content.tint,
            life: life,
            glyph: Self.glyph(content),
            store: attributes.store.safeOnTerminal,
            reference: [attributes.reference, words.bag(attributes)].compactMap { $0?.safeOnTerminal }
                .joined(separator: " · "),
            shortPhase: words.shortPhase(content.phase),
            summary: isSummary ? "" : words.items(attributes),
            headline: Self.headline(card, words: words).safeOnTerminal,
            within: timer.map { words.within(seconds: $0.upperBound - $0.lowerBound) },
            withinShort: timer.map(Self.timerText) ?? clock ?? Self.count(content),
            withinShortest: timer == nil ? clock : content.minutesText(now: now),
            arrival: words.arrival(content, attributes, isStale: life == .stale),
            arrivalShort: content.arrival.map { words.window($0, timeZone: zone) },
            promise: words.promise(attributes),
            courier: Self.courier(content, words: words, timeZone: zone)?.safeOnTerminal,
            detail: words.detail(content, attributes)?.safeOnTerminal,
            progress: isSummary ? nil : content.progress,
            marker: Self.marker(content, life: life),
            steps: words.stepNames,
            buttons: zip(content.buttons, ButtonDigits.of(content.buttons)).map {
                Button(title: words.title($0, courier: content.courier).safeOnTerminal, url: $0.url, digit: $1)
            },
            leaves: card.dismissedAt.map { words.leavesScreen(at: $0, timeZone: zone) })
    }

    /// A stale card says since when there is no news; any other gives its state.
    private static func headline(_ card: PhoneCard, words: Words) -> String {
        let hasSilentHeadline = card.content.headline.code.hasPrefix("courier_silent")
        guard card.state == .stale, !hasSilentHeadline else { return words.headline(card.content, card.attributes) }
        let zone = card.attributes.timeZone
        guard let courier = card.content.courier, card.content.progress >= ProgressLine.stops[2] else {
            return CardPhrases(language: words.language).noNews(since: words.clock(card.timestamp, timeZone: zone))
        }
        let silence = Phrase(
            code: "courier_silent", values: ["courier": courier.name, "since": String(card.timestamp)],
            text: "No news from \(courier.name)")
        return words.text(silence, timeZone: zone)
    }

    private static func courier(
        _ content: GroceryDeliveryAttributes.ContentState, words: Words, timeZone: String
    ) -> String? {
        guard let courier = content.courier else { return nil }
        let stops = courier.stopsBefore.map { count in
            let phrase = Phrase(
                code: "stops_before", values: ["stops": String(count)], text: "\(count) stops before you")
            return words.text(phrase, timeZone: timeZone)
        }
        return [courier.name, words.vehicle(courier.vehicle), stops].compactMap(\.self).joined(separator: " · ")
    }

    /// How many items are in the bag of how many, while they are being picked.
    private static func count(_ content: GroceryDeliveryAttributes.ContentState) -> String? {
        guard let values = content.detail?.values, let found = values["found"], let items = values["items"] else {
            return nil
        }
        return "\(found)/\(items)"
    }

    private static func timerText(_ range: ClosedRange<Int>) -> String {
        let seconds = range.upperBound - range.lowerBound
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        let minutes = "\(two(seconds / 60 % 60)):\(two(seconds % 60))"
        return seconds < 3600 ? "\(seconds / 60):\(two(seconds % 60))" : "\(seconds / 3600):\(minutes)"
    }

    private static func marker(_ content: GroceryDeliveryAttributes.ContentState, life: Life) -> Marker {
        if life == .stale { return .lost }
        if content.flags.contains(DeliverySnapshot.Flag.onHold.rawValue) { return .paused }
        if content.isUncertain { return .lost }
        if content.headline.code == DeliverySnapshot.Status.returning.rawValue { return .back }
        return content.phase == .problem || content.isWaitingForCustomer ? .trouble : .moving
    }

    /// What stands for the phase's symbol where there are letters only.
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

extension CardFace.Life {
    fileprivate init(_ state: PhoneCard.State) {
        switch state {
        case .pending, .active: self = .live
        case .stale: self = .stale
        case .ended, .dismissed: self = .ended
        }
    }
}
