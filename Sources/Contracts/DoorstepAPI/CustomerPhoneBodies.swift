public import Foundation
public import LiveActivity

/// A device of a delivery's customer: its abilities, its tokens, and its confirmed screen.
public struct CustomerPhoneBody: Codable, Hashable, Sendable {
    public let id: String
    public let customer: String
    /// `stream` or `apns`.
    public let transport: String
    public let activitiesEnabled: Bool
    public let frequentPushesEnabled: Bool
    public let osVersion: String?
    public let appVersion: String?
    /// The app's bundle id; nil where the app omitted it and the configured one applies.
    public let bundleID: String?
    /// Domain time of the last registration.
    public let registeredAt: Date
    /// Domain time of the app's last report about its cards; nil before the first.
    public let reportedAt: Date?
    /// The push-to-start token; nil where the app has uploaded none, or Apple reported it as invalid.
    public let startToken: Token?
    public let startFailure: StartFailure?
    /// Domain time before which no card is started, for failures or for an empty budget; nil where one may start now.
    public let nextStartAt: Date?
    /// Apple's refusals that stop all pushes, as known to the replica that answers: each replica has its own circuit
    /// breakers.
    public let circuits: [Circuit]
    /// The phone's cards of the requested activities, oldest first.
    public let cards: [Card]
    /// The measures of the last hour and of the last day; empty where pushes go over a stream, which loses none.
    public let measured: [Measure]

    public init(
        id: String, customer: String, transport: String, activitiesEnabled: Bool, frequentPushesEnabled: Bool,
        osVersion: String?, appVersion: String?, bundleID: String?, registeredAt: Date, reportedAt: Date?,
        startToken: Token?, startFailure: StartFailure?, nextStartAt: Date?, circuits: [Circuit], cards: [Card],
        measured: [Measure]
    ) {
        self.id = id
        self.customer = customer
        self.transport = transport
        self.activitiesEnabled = activitiesEnabled
        self.frequentPushesEnabled = frequentPushesEnabled
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.bundleID = bundleID
        self.registeredAt = registeredAt
        self.reportedAt = reportedAt
        self.startToken = startToken
        self.startFailure = startFailure
        self.nextStartAt = nextStartAt
        self.circuits = circuits
        self.cards = cards
        self.measured = measured
    }

    /// A token that Apple's push service knows a phone or a card by; never its value.
    public struct Token: Codable, Hashable, Sendable {
        public let environment: PushTokenBody.Environment
        /// When the app received it, domain time; nil where it was uploaded before that was kept.
        public let observedAt: Date?

        public init(environment: PushTokenBody.Environment, observedAt: Date?) {
            self.environment = environment
            self.observedAt = observedAt
        }
    }

    /// The app's report of a failed card start.
    public struct StartFailure: Codable, Hashable, Sendable {
        /// The case's name in ActivityKit's `ActivityAuthorizationError`; open.
        public let code: String
        /// Domain time until which no card is started.
        public let until: Date

        public init(code: String, until: Date) {
            self.code = code
            self.until = until
        }
    }

    /// A key or an app that Apple refuses.
    public struct Circuit: Codable, Hashable, Sendable {
        public let environment: PushTokenBody.Environment
        /// Apple's reason; open.
        public let reason: String
        /// Domain time.
        public let since: Date
        /// Domain time at which one push is tried again.
        public let nextTryAt: Date

        public init(environment: PushTokenBody.Environment, reason: String, since: Date, nextTryAt: Date) {
            self.environment = environment
            self.reason = reason
            self.since = since
            self.nextTryAt = nextTryAt
        }
    }

    /// A card, as far as it is Apple's to push to.
    public struct Card: Codable, Hashable, Sendable {
        public let card: String
        public let activity: String
        /// Nil where its app has uploaded none.
        public let updateToken: Token?
        /// Nil where it was sent nothing.
        public let newestPush: Push?

        public init(card: String, activity: String, updateToken: Token?, newestPush: Push?) {
            self.card = card
            self.activity = activity
            self.updateToken = updateToken
            self.newestPush = newestPush
        }
    }

    /// A push with its result.
    public struct Push: Codable, Hashable, Sendable {
        /// Domain time.
        public let at: Date
        /// `start`, `update` or `end`.
        public let event: String
        public let priority: Int
        public let revision: Revision
        /// The push's outcome, as in a card's `answered`; nil before there is an answer.
        public let result: String?
        /// Why the push was refused: Apple's reason, or the service's where the push was not sent; open.
        public let reason: String?
        /// Apple's id of the push, for its Push Notifications Console; nil where Apple returned none.
        public let apnsID: String?
        /// Domain time at which the app first reported that the phone shows the push.
        public let seenAt: Date?
        /// Domain time at which the app reported that a sent push had not arrived.
        public let missedAt: Date?

        public init(
            at: Date, event: String, priority: Int, revision: Revision, result: String?, reason: String?,
            apnsID: String?, seenAt: Date?, missedAt: Date?
        ) {
            self.at = at
            self.event = event
            self.priority = priority
            self.revision = revision
            self.result = result
            self.reason = reason
            self.apnsID = apnsID
            self.seenAt = seenAt
            self.missedAt = missedAt
        }
    }

    /// A phone's pushes in a period, by what its app has reported of them.
    public struct Measure: Codable, Hashable, Sendable {
        /// Up to now; hours of domain time.
        public let hours: Int
        public let starts: Count
        /// Updates and ends at priority 10, which cost the phone's budget.
        public let high: Count
        /// Updates at priority 5, which cost none, and come when the phone finds it convenient.
        public let low: Count

        public init(hours: Int, starts: Count, high: Count, low: Count) {
            self.hours = hours
            self.starts = starts
            self.high = high
            self.low = low
        }
    }

    /// Pushes by outcome; the rest of `sent` is unknown, since the app did not report before the next push.
    public struct Count: Codable, Hashable, Sendable {
        /// Pushes that Apple accepted.
        public let sent: Int
        /// Pushes that the phone certainly showed: a lower bound.
        public let shown: Int
        /// Pushes that had not arrived when the app reported, ten seconds or more after sending, and were not shown
        /// later as far as is known.
        public let missing: Int

        public init(sent: Int, shown: Int, missing: Int) {
            self.sent = sent
            self.shown = shown
            self.missing = missing
        }
    }
}
