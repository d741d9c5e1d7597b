public import LiveActivity

/// One Live Activity on one phone, as the phone knows it.
public struct PhoneCard: Codable, Hashable, Sendable, Identifiable {
    /// The state of a card (ActivityKit's `ActivityState`).
    public enum State: String, Codable, CaseIterable, Hashable, Sendable {
        /// Scheduled by the app, and not on any screen yet (iOS 26).
        case pending
        /// On the screen, before its stale date.
        case active
        /// On the screen, past its stale date; the next update makes it active again.
        case stale
        /// Over: gone from the island, still on the Lock Screen.
        case ended
        /// On no screen any more.
        case dismissed

        /// Whether pushes still change it.
        public var isLive: Bool {
            switch self {
            case .pending, .active, .stale: true
            case .ended, .dismissed: false
            }
        }

        /// Whether the Lock Screen shows it.
        public var isOnLockScreen: Bool {
            switch self {
            case .active, .stale, .ended: true
            case .pending, .dismissed: false
            }
        }
    }

    public let id: String
    public let attributes: GroceryDeliveryAttributes
    public internal(set) var content: GroceryDeliveryAttributes.ContentState
    public internal(set) var state: State
    /// The timestamp of the newest push that was applied, epoch seconds; 0 on a card that the app started, before its
    /// first push.
    public internal(set) var timestamp: Int
    /// When the phone showed it, or will, epoch seconds; the eight hours begin here.
    public internal(set) var startedAt: Int
    /// Numbers the starts of this phone, so that of two equally relevant cards the first started wins.
    public let ordinal: Int
    /// When it becomes stale, epoch seconds; nil while no push had a stale date.
    public internal(set) var staleAt: Int?
    /// When it ended, epoch seconds; nil while live.
    public internal(set) var endedAt: Int?
    /// When an ended card leaves the Lock Screen, epoch seconds; nil while live.
    public internal(set) var dismissedAt: Int?
    /// Higher comes first; nothing sent counts as zero.
    public internal(set) var relevance: Double
    /// Whether the person swiped it away in the island; the Lock Screen keeps it.
    public internal(set) var isHiddenInIsland: Bool
    /// Whether the system ended it after eight hours, and not a push.
    public internal(set) var wasEndedBySystem = false
    /// The newest alert that lit the screen for this card.
    public internal(set) var alert: PhoneAlert?

    /// Since when it shows what it shows, epoch seconds.
    public var shownSince: Int { timestamp == 0 ? startedAt : timestamp }

    /// A card from its parts.
    public init(
        id: String, attributes: GroceryDeliveryAttributes, content: GroceryDeliveryAttributes.ContentState,
        state: State, timestamp: Int, startedAt: Int, ordinal: Int, staleAt: Int? = nil, endedAt: Int? = nil,
        dismissedAt: Int? = nil, relevance: Double, isHiddenInIsland: Bool = false, wasEndedBySystem: Bool = false,
        alert: PhoneAlert? = nil
    ) {
        self.id = id
        self.attributes = attributes
        self.content = content
        self.state = state
        self.timestamp = timestamp
        self.startedAt = startedAt
        self.ordinal = ordinal
        self.staleAt = staleAt
        self.endedAt = endedAt
        self.dismissedAt = dismissedAt
        self.relevance = relevance
        self.isHiddenInIsland = isHiddenInIsland
        self.wasEndedBySystem = wasEndedBySystem
        self.alert = alert
    }
}

/// An alert that came with a push, and when it lit the screen.
public struct PhoneAlert: Codable, Hashable, Sendable {
    public let content: PushAlert
    /// Epoch seconds.
    public let at: Int
}

/// A change on a phone's screen.
public struct CardEvent: Codable, Hashable, Sendable {
    /// The values of `event` in `doorstep track --json`.
    public enum Kind: String, Codable, CaseIterable, Hashable, Sendable {
        case start, update, stale, end, dismissed
    }

    public let kind: Kind
    /// The card right after the change.
    public let card: PhoneCard
    /// When it happened, epoch seconds; at or before the time that was passed in.
    public let at: Int

    public init(kind: Kind, card: PhoneCard, at: Int) {
        self.kind = kind
        self.card = card
        self.at = at
    }
}

/// Why a push changed nothing on the screen; APNs answers 200 all the same.
public enum PushRefusal: String, Codable, CaseIterable, Hashable, Sendable {
    /// Its timestamp is older than what is shown.
    case older
    /// Its timestamp equals the card's. Apple leaves this open; Doorstep never sends two alike, so a repeat is the same
    /// push again.
    case repeated
    /// An update or an end of a card that this phone never started.
    case unknownCard
    /// A start of a card that was started already.
    case alreadyStarted
    /// A start without an alert is accepted and never shown.
    case startWithoutAlert
    /// A start without attributes, or of another type, cannot be drawn.
    case startWithoutAttributes
    /// The card is over; nothing brings it back.
    case alreadyEnded
    /// The person switched Live Activities off (ActivityKit's `denied`).
    case denied
    /// The app has as many cards as the system allows.
    case targetMaximumExceeded
}
