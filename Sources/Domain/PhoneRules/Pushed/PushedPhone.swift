public import LiveActivity

/// An iPhone that gets its pushes from Apple: its screen, its tokens, its budgets, and the app on it.
///
/// A value without a clock, as ``Phone`` is: every `at` is epoch seconds. It does what the system does with a push, and
/// gives out only what ActivityKit lets the app see. Where Apple publishes nothing, a comment gives the assumption.
public struct PushedPhone: Codable, Hashable, Sendable {
    /// Seconds that the app may run in the background after a start launched it.
    public static let backgroundSeconds = 30
    /// Tokens that are remembered, so that a late push for one of them is answered as Apple's service would.
    public static let rememberedTokensMax = 256
    /// Bytes of attributes and content of one card together (ActivityKit).
    public static let cardBytesMax = 4096

    /// The constant properties of a phone.
    public struct Settings: Codable, Hashable, Sendable {
        public var osVersion: OSVersion
        public var bundleID: String
        /// Swift name of the app's attributes type, without its module.
        public var attributesType = String(describing: GroceryDeliveryAttributes.self)
        public var hasIsland = true
        /// Pushes of priority 10 in an hour; by field reports about 15 without frequent updates, and above 200 with.
        public var standardBudget = 15
        public var frequentBudget = 240
        /// Starts in an hour; by field reports about ten in an unpublished window.
        public var startBudget = 10
        /// Seconds from a start to the card's update token.
        public var tokenDelaySeconds = 0
        /// Whether a card that its app has scheduled gets its token before it starts; undocumented.
        public var pendingHasToken = true
        /// Whether the system accepts pushes for such a card before it starts; undocumented.
        public var pendingTakesPushes = false
        /// Seconds that Apple's service goes on answering 200 for the token of a card that is over; unpublished.
        public var endedTokenSeconds = 3600
        /// Makes the phone's tokens; phones with one seed have the same.
        public var tokenSeed: UInt64

        public init(osVersion: OSVersion, bundleID: String, tokenSeed: UInt64) {
            self.osVersion = osVersion
            self.bundleID = bundleID
            self.tokenSeed = tokenSeed
        }
    }

    public let settings: Settings
    /// The screen: cards by the ids of their instances (`Activity.id`).
    public internal(set) var phone: Phone
    public internal(set) var app: AppState = .running
    public internal(set) var isOnline = true
    /// Whether the person allows frequent updates: the hour's budget is larger.
    public internal(set) var allowsFrequentUpdates: Bool
    /// Seconds that the phone's clock is ahead; dates of a push are compared with it.
    public var clockSkewSeconds = 0
    /// Of pushes with priority 10 to cards.
    public internal(set) var budget: PushBudget
    /// Of starts.
    public internal(set) var startBudget: PushBudget
    var tokens: [String: IssuedToken] = [:]
    var tokensCount: UInt64 = 0
    var instances: [String: Instance] = [:]
    var instancesCount: UInt64 = 0
    var stored: PendingPush?
    /// Rises with every change of the tokens, so that an index of them can be kept.
    public internal(set) var tokensVersion = 0

    public init(_ settings: Settings, allowsFrequentUpdates: Bool = true, at now: Int) {
        self.settings = settings
        self.allowsFrequentUpdates = allowsFrequentUpdates
        phone = Phone(hasIsland: settings.hasIsland, now: now)
        budget = PushBudget(
            size: allowsFrequentUpdates ? settings.frequentBudget : settings.standardBudget, windowSeconds: 3600)
        startBudget = PushBudget(size: settings.startBudget, windowSeconds: 3600)
        if settings.osVersion >= .pushToStart { issueToken(for: .start) }
    }

    /// The state of the app's process.
    public enum AppState: Codable, Hashable, Sendable {
        /// In the foreground, or running otherwise.
        case running
        /// Launched by a start, until the given time.
        case inBackground(until: Int)
        /// Ended by the system or a crash; a start launches it.
        case notRunning
        /// Ended by the person, in the app switcher: no start launches it until it is opened, and no card's token comes.
        case forceQuit
    }

    /// The state of one card in ActivityKit and the phone, beside its screen.
    struct Instance: Codable, Hashable, Sendable {
        /// Attributes as they were sent; content is bounded together with them.
        let attributesBytes: Int
        /// When the app gets the token that updates it; nil where the start did not ask for one.
        var tokenAt: Int?
        var hasToken = false
    }

    /// The time on the phone's own clock.
    func deviceTime(_ now: Int) -> Int { now + clockSkewSeconds }
}

/// A version of iOS.
public struct OSVersion: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let major: Int
    public let minor: Int

    public init(_ major: Int, _ minor: Int = 0) {
        self.major = major
        self.minor = minor
    }

    /// - Parameter text: one to four numbers with dots between, such as `17.2.1`; two of them count.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in part.allSatisfy(\.isNumber) && part.count <= 4 ? Int(part) : nil }
        guard (1...4).contains(parts.count), numbers.count == parts.count else { return nil }
        self.init(numbers[0], numbers.count > 1 ? numbers[1] : 0)
    }

    /// The first whose cards have buttons that act without opening the app.
    public static let actingButtons = OSVersion(17)
    /// The first that a push can start a card on, and that orders an app's own updates among pushes.
    public static let pushToStart = OSVersion(17, 2)
    /// The first on which an app can schedule a card.
    public static let scheduling = OSVersion(26)
    /// The first that gives an update token only to a start that asks for one, and that knows channels.
    public static let inputPushToken = OSVersion(18)

    public var description: String { "\(major).\(minor)" }

    public static func < (one: OSVersion, other: OSVersion) -> Bool {
        (one.major, one.minor) < (other.major, other.minor)
    }
}

/// A push as Apple's service hands it to a phone.
public struct PendingPush: Codable, Hashable, Sendable {
    /// The request's `apns-id`.
    public let id: String
    public let token: String
    /// 10, or 5, which no budget counts.
    public let priority: Int
    /// Epoch seconds; 0 for one attempt, nil where the sender left it to the service.
    public let expiration: Int?
    public let bytes: [UInt8]

    public init(id: String, token: String, priority: Int, expiration: Int?, bytes: [UInt8]) {
        self.id = id
        self.token = token
        self.priority = priority
        self.expiration = expiration
        self.bytes = bytes
    }
}

/// An effect of a call on a phone.
public enum PhoneEffect: Hashable, Sendable {
    /// The screen changed.
    case screen(CardEvent)
    /// The running app was given something to see.
    case app(AppNotice)
    /// A push was settled: now, or some time after it was stored.
    case settled(id: String, PushOutcome)
}

/// A notice to the running app; it reads the rest from ``PushedPhone/activities``.
public enum AppNotice: Hashable, Sendable {
    /// The app was launched, or has a network again: it registers, and sees every card.
    case launched
    /// The token that starts cards changed, or what the person allows.
    case registrationChanged
    /// The person has left the app, which is in the background now.
    case leftForeground
    /// A card started, or is scheduled to (`activityUpdates`).
    case started(instance: String)
    /// A card has another update token (`pushTokenUpdates`).
    case updateToken(instance: String)
    /// A card shows another content (`contentUpdates`).
    case content(instance: String)
    /// A card became stale, ended or was dismissed (`activityStateUpdates`).
    case state(instance: String)
    /// A person tapped a button that acts: the app's intent presses its link.
    case pressed(instance: String, link: String)
}

/// One card as ActivityKit shows it to an app.
public struct AppActivity: Hashable, Sendable {
    /// `Activity.id`.
    public let instance: String
    public let attributes: GroceryDeliveryAttributes
    public let content: GroceryDeliveryAttributes.ContentState
    public let state: PhoneCard.State
    /// Epoch seconds.
    public let staleAt: Int?
    public let relevance: Double
    /// Hex; nil until the system has given one.
    public let updateToken: String?
}
