extension Words {
    /// A time by itself: `18:24`, or `Fri 27 Nov 18:24` on another day than that of `now`.
    public func time(_ epochSeconds: Int, timeZone: String, now: Int) -> String {
        catalogue.time(epochSeconds, Reading(timeZone: timeZone, now: now))
    }

    /// A time as it stands in a sentence, after a word such as "since": `18:24`, in Danish `kl. 18:24`.
    public func moment(_ epochSeconds: Int, timeZone: String, now: Int) -> String {
        catalogue.time(epochSeconds, Reading(timeZone: timeZone, now: now), isInSentence: true)
    }

    /// A time without its day, `18:24` or `6:24 PM`, for the sides of an island; nil where that is ambiguous.
    public func shortTime(_ epochSeconds: Int, timeZone name: String, now: Int) -> String? {
        let written = WrittenTime(epochSeconds, Reading(timeZone: name, now: now))
        return written.day == nil && written.offset.isEmpty ? catalogue.clock(written) : nil
    }

    /// Two times: `18:24–18:31`, or `Fri 27 Nov 18:24–18:31`; the end has a day where it is not that of the start.
    public func window(_ window: Window, timeZone: String, now: Int) -> String {
        let reading = Reading(timeZone: timeZone, now: now)
        return catalogue.time(window.from, reading) + "–" + catalogue.time(window.to, reading, after: window.from)
    }

    /// `Arrives 18:24–18:31`, or `Likely …` while the courier's place is unknown or the card is stale; nil without an
    /// arrival, and on a summary, whose headline has it.
    public func arrival(
        _ content: ContentState, _ attributes: GroceryDeliveryAttributes, now: Int, isStale: Bool
    ) -> String? {
        guard content.phase != .several, let arrival = content.arrival else { return nil }
        let isLikely = content.isUncertain || !content.isTracked || isStale
        return label(isLikely ? .likely : .arrives, arrival, attributes, now: now)
    }

    /// `promised 17:45–18:45`, or `promised by 18:45` for a window without a beginning; nil on a summary.
    public func promise(_ attributes: GroceryDeliveryAttributes, now: Int) -> String? {
        attributes.promise.map { promise(.promised, $0, attributes, now: now) }
    }

    /// The first promise on a card with this content; nil where the content has another or none is kept.
    public func promise(_ content: ContentState, _ attributes: GroceryDeliveryAttributes, now: Int) -> String? {
        content.hasFirstPromise ? promise(attributes, now: now) : nil
    }

    /// The row of a card for its time: the arrival, and before there is one the first promise; nil on an ended card.
    public func expected(
        _ content: ContentState, _ attributes: GroceryDeliveryAttributes, now: Int, isStale: Bool
    ) -> String? {
        arrival(content, attributes, now: now, isStale: isStale)
            ?? (content.phase == .ended ? nil : promise(content, attributes, now: now))
    }

    /// - Parameter label: one whose text has a form without a beginning.
    func promise(
        _ label: CardLabel, _ promise: Window, _ attributes: GroceryDeliveryAttributes, now: Int
    ) -> String {
        let beginning = promise.hasBeginning ? ["from": String(promise.from)] : [:]
        return self.label(
            label, beginning.merging(["to": String(promise.to)]) { own, _ in own },
            Reading(timeZone: attributes.timeZone, now: now))
    }

    /// `PIN 0417`; nil where the courier does not ask for it now.
    public func pin(_ content: ContentState) -> String? {
        content.pin.flatMap { $0.isEmpty ? nil : label(.pin, ["pin": $0]) }
    }

    /// `14 min`, from the remaining seconds of a timer, rounded up to whole minutes.
    ///
    /// Minutes and seconds would read as a clock time wherever that is written in 24 hours.
    public func remaining(seconds: Int) -> String {
        catalogue.duration(minutes: max(0, seconds).addingSaturating(59) / 60)
    }

    /// An amount without its sign: `4.50 kr.`.
    public func text(_ amount: Amount) -> String { catalogue.amount(amount) }

    /// `18 items`; on a summary the count is of deliveries, which its headline has already.
    public func items(_ attributes: GroceryDeliveryAttributes) -> String {
        label(.items, ["items": String(attributes.itemCount)])
    }

    /// `bag 1 of 2`; nil where there is one bag only.
    public func bag(_ attributes: GroceryDeliveryAttributes) -> String? {
        guard let bag = attributes.bag, bag.count > 1 else { return nil }
        return label(.bag, ["number": String(bag.number), "count": String(bag.count)])
    }

    /// `leaves this screen 18:42`.
    public func leavesScreen(at epochSeconds: Int, timeZone: String, now: Int) -> String {
        label(.leavesScreen, ["at": String(epochSeconds)], Reading(timeZone: timeZone, now: now))
    }

    /// The names of the four marks on the card's line, from accepted to the door.
    public var stepNames: [String] {
        [label(.stepAccepted, [:]), label(.stepPacked, [:]), label(.stepPickedUp, [:]), label(.stepDoor, [:])]
    }

    func label(_ label: CardLabel, _ window: Window, _ attributes: GroceryDeliveryAttributes, now: Int) -> String {
        self.label(
            label, ["from": String(window.from), "to": String(window.to)],
            Reading(timeZone: attributes.timeZone, now: now))
    }

    func label(_ label: CardLabel, _ values: [String: String], _ reading: Reading? = nil) -> String {
        catalogue.label(label, values, reading)
    }
}
