/// The screen of an iPhone after the pushes that it received.
///
/// A value without a clock: time is passed in, as epoch seconds, and never runs backwards here. Whatever arrives in
/// whatever order, a card never shows an older state after a newer one and never comes back from its end.
/// Numbers are ActivityKit's, as Apple documents them, except where a comment names another source.
public struct Phone: Codable, Hashable, Sendable {
    /// Seconds that a card may be active before the system ends it: eight hours.
    public static let activeSecondsMax = 8 * 3600
    /// Seconds that an ended card may stay on the Lock Screen: four hours, so twelve in all.
    public static let keptSecondsMax = 4 * 3600
    /// Cards of one app at a time.
    ///
    /// Apple publishes no number; five is what apps meet in the field.
    public static let activitiesMaxInTheField = 5
    /// Dismissed cards that are remembered, so that a late push for one of them has no effect.
    public static let rememberedCardsMax = 64

    /// Whether the person lets this app show Live Activities.
    public enum Permission: String, Codable, CaseIterable, Hashable, Sendable {
        /// Not answered yet: the first card is on the Lock Screen with the question under it, and stays out of the
        /// island until the answer.
        case notYetAllowed
        case allowed
        /// Starts fail, and pushes have no effect.
        case switchedOff
    }

    public var hasIsland: Bool
    public let activitiesMax: Int
    public internal(set) var permission: Permission
    /// Whether the person holds the island open.
    public var isIslandExpanded = false
    /// The latest time that was passed in, epoch seconds.
    public internal(set) var now: Int
    var cards: [String: PhoneCard] = [:]
    var startsCount = 0
    /// The last start or update of a card of this app, epoch seconds; nil without one.
    var updatedAt: Int?
    /// The value of ``otherApps``; nil in a phone stored by an earlier version.
    var storedOtherApps: [OtherApp]?

    public init(
        hasIsland: Bool = true, permission: Permission = .allowed, activitiesMax: Int = activitiesMaxInTheField,
        now: Int = 0
    ) {
        self.hasIsland = hasIsland
        self.permission = permission
        self.activitiesMax = activitiesMax
        self.now = now
        storedOtherApps = []
    }

    /// A card by its id, dismissed ones included while they are remembered.
    public subscript(card id: String) -> PhoneCard? { cards[id] }

    /// Every card that is not dismissed, in the order they started.
    public var liveCards: [PhoneCard] {
        cards.values.filter { $0.state != .dismissed }.sorted { $0.ordinal < $1.ordinal }
    }

    /// Every card that the phone knows of, dismissed ones included, in the order they started.
    public var rememberedCards: [PhoneCard] { cards.values.sorted { $0.ordinal < $1.ordinal } }

    /// When time alone will next change the screen, epoch seconds; nil when it never will.
    public var nextChangeAt: Int? {
        cards.values.compactMap { Self.nextChange(of: $0)?.at }.min()
    }

    /// Lets time pass: cards become stale, end after eight hours, and are dismissed after their end.
    ///
    /// - Returns: what changed, oldest first; nothing when `now` is not later than before.
    public mutating func advance(to now: Int) -> [CardEvent] {
        self.now = max(self.now, now)
        var events: [CardEvent] = []
        while let (id, change) = nextDueChange() {
            events.append(apply(change, to: id))
        }
        forgetOldest()
        return events
    }

    // MARK: - Time

    private struct Change {
        let kind: CardEvent.Kind
        let at: Int
    }

    /// The next change of a card by time.
    private static func nextChange(of card: PhoneCard) -> Change? {
        let systemEndAt = card.startedAt + activeSecondsMax
        switch card.state {
        case .pending: return Change(kind: .start, at: card.startedAt)
        case .active:
            if let staleAt = card.staleAt, staleAt < systemEndAt { return Change(kind: .stale, at: staleAt) }
            return Change(kind: .end, at: systemEndAt)
        case .stale: return Change(kind: .end, at: systemEndAt)
        case .ended: return card.dismissedAt.map { Change(kind: .dismissed, at: $0) }
        case .dismissed: return nil
        }
    }

    private func nextDueChange() -> (id: String, change: Change)? {
        cards.values
            .compactMap { card in Self.nextChange(of: card).map { (card: card, change: $0) } }
            .filter { $0.change.at <= now }
            .min { ($0.change.at, $0.card.ordinal) < ($1.change.at, $1.card.ordinal) }
            .map { ($0.card.id, $0.change) }
    }

    private mutating func apply(_ change: Change, to id: String) -> CardEvent {
        guard var card = cards[id] else { preconditionFailure("A change is of a card that is there") }
        switch change.kind {
        case .start, .update:
            card.state = .active
            updatedAt = max(updatedAt ?? change.at, change.at)
        case .stale: card.state = .stale
        case .end:
            Self.end(&card, at: change.at, dismissalDate: nil)
            card.wasEndedBySystem = true
        case .dismissed: Self.dismiss(&card, at: change.at)
        }
        cards[id] = card
        return CardEvent(kind: change.kind, card: card, at: change.at)
    }

    static func end(_ card: inout PhoneCard, at: Int, dismissalDate: Int?) {
        card.state = .ended
        card.endedAt = at
        let latest = at + keptSecondsMax
        card.dismissedAt = max(at, min(dismissalDate ?? latest, latest))
    }

    static func dismiss(_ card: inout PhoneCard, at: Int) {
        card.state = .dismissed
        card.endedAt = card.endedAt ?? at
        card.dismissedAt = at
    }

    private mutating func forgetOldest() {
        let dismissed = cards.values.filter { $0.state == .dismissed }
        guard dismissed.count > Self.rememberedCardsMax else { return }
        let oldestFirst = dismissed.sorted { ($0.dismissedAt ?? 0, $0.ordinal) < ($1.dismissedAt ?? 0, $1.ordinal) }
        for card in oldestFirst.prefix(dismissed.count - Self.rememberedCardsMax) { cards[card.id] = nil }
    }
}
