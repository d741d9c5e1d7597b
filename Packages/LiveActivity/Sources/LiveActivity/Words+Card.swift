import Foundation

extension Words {
    /// A clock time, 24 hours: `18:24`.
    public func clock(_ epochSeconds: Int, timeZone name: String) -> String {
        ClockTime(epochSeconds, in: timeZone(named: name)).text
    }

    /// Two clock times: `18:24–18:31`.
    public func window(_ window: Window, timeZone: String) -> String {
        "\(clock(window.from, timeZone: timeZone))–\(clock(window.to, timeZone: timeZone))"
    }

    /// `Arrives 18:24–18:31`, or `Likely …` while nobody knows where the courier is or the card is stale; nil without an
    /// arrival, and on a summary, whose headline has it.
    public func arrival(_ content: ContentState, _ attributes: GroceryDeliveryAttributes, isStale: Bool) -> String? {
        guard content.phase != .several, let arrival = content.arrival else { return nil }
        let isLikely = content.isUncertain || !content.isTracked || isStale
        return label(isLikely ? .likely : .arrives, arrival, attributes)
    }

    /// `promised by 18:45`; nil on a summary.
    public func promise(_ attributes: GroceryDeliveryAttributes) -> String? {
        attributes.promise.map { label(.promised, $0, attributes) }
    }

    /// `14 min`, from what is left of a timer in seconds, rounded up to whole minutes.
    ///
    /// Minutes and seconds would read as a clock time wherever that is written in 24 hours.
    public func remaining(seconds: Int) -> String {
        table.length(minutes: max(0, seconds).addingSaturating(59) / 60)
    }

    /// An amount without its sign: `4.50 kr.`.
    public func text(_ amount: Amount) -> String { table.amount(amount) }

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
    public func leavesScreen(at epochSeconds: Int, timeZone name: String) -> String {
        label(.leavesScreen, ["at": String(epochSeconds)], timeZone(named: name))
    }

    /// The names of the four marks on the card's line, from accepted to the door.
    public var stepNames: [String] {
        [label(.stepAccepted, [:]), label(.stepPacked, [:]), label(.stepPickedUp, [:]), label(.stepDoor, [:])]
    }

    func label(_ label: CardLabel, _ window: Window, _ attributes: GroceryDeliveryAttributes) -> String {
        self.label(
            label, ["from": String(window.from), "to": String(window.to)], timeZone(named: attributes.timeZone))
    }

    func label(_ label: CardLabel, _ values: [String: String], _ zone: TimeZone? = nil) -> String {
        fill(table.label(label), values, zone) ?? ""
    }
}
