package import LiveActivity
package import PhoneRules

/// An emulated phone's screen and settings: `GET /phones/{id}` of `apns-emulator`, and each event of its stream.
package struct EmulatedPhoneBody: Codable, Hashable, Sendable {
    package struct Card: Codable, Hashable, Sendable {
        /// `Activity.id`.
        package var instance: String
        package var state: PhoneCard.State
        package var attributes: GroceryDeliveryAttributes
        package var content: GroceryDeliveryAttributes.ContentState
        /// The newest applied push's timestamp, epoch seconds; 0 on a card that the app started, before its first push.
        package var timestamp: Int
        package var startedAt: Int
        package var staleAt: Int?
        package var endedAt: Int?
        package var dismissedAt: Int?
        package var relevance: Double
        package var wasEndedBySystem: Bool
        package var alert: PhoneAlert?
        package var updateToken: String?

        package init(_ card: PhoneCard, updateToken: String?) {
            instance = card.id
            state = card.state
            attributes = card.attributes
            content = card.content
            timestamp = card.timestamp
            startedAt = card.startedAt
            staleAt = card.staleAt
            endedAt = card.endedAt
            dismissedAt = card.dismissedAt
            relevance = card.relevance
            wasEndedBySystem = card.wasEndedBySystem
            alert = card.alert
            self.updateToken = updateToken
        }
    }

    package struct Island: Codable, Hashable, Sendable {
        package enum Form: String, Codable, CaseIterable, Sendable {
            case empty, compact, expanded, minimal
        }

        package var form: Form
        package var instance: String?
        /// The place of a minimal card.
        package var place: Phone.MinimalPlace?
    }

    package struct Budgets: Codable, Hashable, Sendable {
        package var updatesLeft: Int
        package var updatesPerHour: Int
        package var startsLeft: Int
        package var startsPerHour: Int
    }

    package enum App: String, Codable, CaseIterable, Sendable {
        case running, background
        case notRunning = "not-running"
        case forceQuit = "force-quit"
    }

    package var id: String
    package var bundleID: String
    package var environment: PushTokenBody.Environment
    package var osVersion: String
    package var language: String
    /// The phones' time, epoch seconds.
    package var now: Int
    package var clockSkewSeconds: Int
    package var hasIsland: Bool
    package var online: Bool
    package var app: App
    /// The error of the app's last exchange with its service; nil before the first exchange and after a successful one.
    package var appError: String?
    package var activitiesEnabled: Bool
    package var frequentUpdates: Bool
    package var startToken: String?
    /// The Lock Screen, top first.
    package var lockScreen: [String]
    package var island: Island
    /// Other apps in the island, or queued for it, in display order.
    package var otherApps: [Phone.OtherApp.Kind]
    /// The instance whose alert is a banner on a phone without an island.
    package var banner: String?
    package var budgets: Budgets
    /// Every card that is remembered, dismissed ones included, in the order they started.
    package var cards: [Card]
    /// The number of pushes by outcome.
    package var counts: [String: Int]
    /// Pushes, oldest first: the newest 500 or more, and a few of the newest in a stream.
    package var pushes: [PushLogLine]?

    /// - Parameters:
    ///   - counts: pushes by outcome.
    ///   - pushes: the log of pushes, oldest first; nil for none.
    package init(
        _ phone: PushedPhone, id: String, environment: PushTokenBody.Environment, language: String, appError: String?,
        counts: [String: Int], pushes: [PushLogLine]?, at now: Int
    ) {
        let screen = phone.phone
        self.id = id
        self.environment = environment
        self.language = language
        self.appError = appError
        self.counts = counts
        self.pushes = pushes
        self.now = now
        bundleID = phone.settings.bundleID
        osVersion = phone.settings.osVersion.description
        clockSkewSeconds = phone.clockSkewSeconds
        hasIsland = screen.hasIsland
        online = phone.isOnline
        app = App(phone.app, at: now)
        activitiesEnabled = screen.permission != .switchedOff
        frequentUpdates = phone.allowsFrequentUpdates
        startToken = phone.startToken
        lockScreen = screen.lockScreen.map(\.id)
        island = Island(screen.alertedIsland)
        otherApps = screen.otherApps.map(\.kind)
        banner = screen.banner?.id
        budgets = Budgets(phone, at: now)
        cards = screen.rememberedCards.map { Card($0, updateToken: phone.updateToken(of: $0.id)) }
    }
}

extension EmulatedPhoneBody.Island {
    fileprivate init(_ island: Phone.Island) {
        switch island {
        case .empty: form = .empty
        case .compact(let card): (form, instance) = (.compact, card.id)
        case .expanded(let card): (form, instance) = (.expanded, card.id)
        case .minimal(let card, let place): (form, instance, self.place) = (.minimal, card.id, place)
        }
    }
}

extension EmulatedPhoneBody.App {
    fileprivate init(_ app: PushedPhone.AppState, at now: Int) {
        switch app {
        case .running: self = .running
        case .inBackground(let until): self = now < until ? .background : .notRunning
        case .notRunning: self = .notRunning
        case .forceQuit: self = .forceQuit
        }
    }
}

extension EmulatedPhoneBody.Budgets {
    fileprivate init(_ phone: PushedPhone, at now: Int) {
        updatesLeft = phone.budget.left(at: now)
        updatesPerHour = phone.budget.size
        startsLeft = phone.startBudget.left(at: now)
        startsPerHour = phone.startBudget.size
    }
}

/// One push to an emulated phone, with its outcome.
package struct PushLogLine: Codable, Hashable, Sendable {
    /// Epoch seconds of the phones' time.
    package let at: Int
    /// `apns-id`.
    package let id: String
    package let outcome: PushOutcome
    /// Nil where a stored push was settled later, or none could be read.
    package var event: String?
    package var timestamp: Int?
    package var priority: Int?
    package var bytes: Int?

    package init(
        at: Int, id: String, outcome: PushOutcome, event: String? = nil, timestamp: Int? = nil, priority: Int? = nil,
        bytes: Int? = nil
    ) {
        self.at = at
        self.id = id
        self.outcome = outcome
        self.event = event
        self.timestamp = timestamp
        self.priority = priority
        self.bytes = bytes
    }
}
