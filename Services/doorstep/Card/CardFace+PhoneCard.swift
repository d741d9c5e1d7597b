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
        let doubt = life == .stale || content.isUncertain || !content.isTracked ? "?" : ""
        let clock = content.arrival.map { words.clock($0.to, timeZone: zone) + doubt }
        let isSummary = attributes.delivery == nil
        let remaining = timer.map { words.remaining(seconds: $0.upperBound - $0.lowerBound) }
        let headline = Headline(card, words: words)
        let room = LockScreenDrawing.innerColumns - (remaining.map { $0.columns + 2 } ?? (life == .live ? 0 : 2))

        self.init(
            tint: life == .stale ? .orange : content.tint,
            life: life,
            glyph: Self.glyph(content),
            store: attributes.store.safeOnTerminal,
            reference: [attributes.reference, words.bag(attributes)].compactMap { $0?.safeOnTerminal }
                .joined(separator: " · "),
            shortPhase: words.shortPhase(content.phase),
            summary: isSummary ? "" : words.items(attributes),
            headline: headline.text { $0.columns <= room },
            question: headline.question,
            remaining: remaining,
            remainingShort: remaining.map { Self.short($0, content, now: now) } ?? clock ?? Self.count(content),
            remainingShortest: timer == nil ? clock : content.minutesText(now: now),
            arrival: words.arrival(content, attributes, isStale: life == .stale),
            arrivalShort: content.arrival.map { words.window($0, timeZone: zone) },
            promise: words.promise(attributes),
            courier: Self.courier(content, words: words, timeZone: zone)?.safeOnTerminal,
            detail: words.detail(content, attributes)?.safeOnTerminal,
            progress: isSummary ? nil : content.progress,
            hasBegun: !content.isUnconfirmed,
            marker: Self.marker(content, life: life),
            steps: words.stepNames,
            buttons: zip(content.buttons, ButtonDigits.of(content.buttons)).map {
                Button(
                    title: words.title($0, in: content).safeOnTerminal,
                    shortTitle: words.shortTitle($0, in: content).safeOnTerminal, url: $0.url, digit: $1)
            },
            leaves: card.dismissedAt.map { words.leavesScreen(at: $0, timeZone: zone) })
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

    /// What is left of a timer in at most eight columns: `14 min`, `1h05m`.
    private static func short(
        _ remaining: String, _ content: GroceryDeliveryAttributes.ContentState, now: Int
    ) -> String {
        remaining.columns <= IslandDrawing.compactSideColumnsMax
            ? remaining : content.minutesText(now: now) ?? remaining
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

/// The first line of a card: its state, or since when there is no news where it is stale.
private struct Headline {
    let phrase: Phrase
    let timeZone: String
    let words: Words
    /// In place of the phrase.
    let noNews: String?
    let isQuestion: Bool

    init(_ card: PhoneCard, words: Words) {
        let content = card.content
        let zone = card.attributes.timeZone
        let isStale = card.state == .stale && !content.headline.code.hasPrefix("courier_silent")
        let isPickedUp = content.progress >= ProgressLine.stops[2]
        let silent = isStale && isPickedUp && content.isTracked ? content.courier : nil
        phrase =
            silent.map { courier in
                Phrase(
                    code: "courier_silent", values: ["courier": courier.name, "since": String(card.shownSince)],
                    text: "No news from \(courier.name)")
            } ?? content.headline
        noNews =
            isStale && silent == nil
            ? CardPhrases(language: words.language).noNews(since: words.clock(card.shownSince, timeZone: zone)) : nil
        isQuestion = content.isWaitingForCustomer && !isStale
        timeZone = zone
        self.words = words
    }

    func text(fitting fits: (String) -> Bool) -> String {
        (noNews ?? words.text(phrase, timeZone: timeZone) { fits($0.safeOnTerminal) }).safeOnTerminal
    }

    /// A question is not cut in the middle of what it is about: it has two rows.
    var question: String? {
        guard isQuestion else { return nil }
        let columns = LockScreenDrawing.innerColumns
        let question = text { $0.wrapped(to: columns, linesMax: 3).count <= LockScreenDrawing.questionRowsMax }
        return question.columns > columns ? question : nil
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
