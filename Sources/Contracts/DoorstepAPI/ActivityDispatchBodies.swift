public import Foundation
public import LiveActivity

/// An activity: its wanted state, and the state of each of its cards.
public struct ActivityBody: Codable, Hashable, Sendable {
    public let id: String
    public let customer: String
    /// Nil on a summary.
    public let delivery: String?
    public let wanted: ActivityStep
    /// Domain time.
    public let wantedAt: Date
    public let cards: [CardBody]
    /// Pushes and overrides, oldest first; where a timeline was asked for.
    public let timeline: [ActivityTimelineEntryBody]?

    public init(
        id: String, customer: String, delivery: String?, wanted: ActivityStep, wantedAt: Date, cards: [CardBody],
        timeline: [ActivityTimelineEntryBody]?
    ) {
        self.id = id
        self.customer = customer
        self.delivery = delivery
        self.wanted = wanted
        self.wantedAt = wantedAt
        self.cards = cards
        self.timeline = timeline
    }
}

/// One card of an activity on a device.
public struct CardBody: Codable, Hashable, Sendable {
    public let card: String
    public let device: String
    public let transport: String
    /// `waiting`, `starting`, `active`, `ended`, `dismissed`, `swiped`, `replaced`, `signed_out` or `lost`.
    public let state: String
    /// The last revision that the transport accepted for it.
    public let sent: Revision?
    /// The newest push's timestamp, epoch seconds.
    public let timestamp: Int?
    /// The newest push's outcome: `taken`, `refused`, `unknown`, `gone`; nil before there is an answer.
    public let answered: String?
    /// The revision that the phone reported, or the last that the transport accepted for it.
    public let assumedShown: Revision?
    /// The revision that the phone itself reported; nil before its first report.
    public let confirmed: Revision?
    /// The newest revision that its app put on it itself while it ran, without a push; nil where it never did.
    public let updatedByApp: Revision?
    /// Whether the device's stream is open, up to seconds ago; nil where it never was, as with APNs.
    public let isConnected: Bool?
    /// Domain time up to which the device's stream is known to have been open.
    public let lastConnectedAt: Date?
    public let startedAt: Date?
    public let dismissedAt: Date?
    /// When the phone starts the card without a push, or has, because its app scheduled it; nil where the app did not.
    public let scheduledAt: Date?
    /// The card's remaining life while its app has uploaded no token, so that no push can change it; nil where a push
    /// can.
    public let frozen: FrozenCardBody?
    /// Whether the card should show another state, and the system will deliver it.
    ///
    /// A device that cannot show a card, according to `why`, is not behind.
    public let isBehind: Bool
    /// Why it does not show the wanted state, or why nothing is to do; an open code.
    public let why: String?

    public init(
        card: String, device: String, transport: String, state: String, sent: Revision?, timestamp: Int?,
        answered: String?, assumedShown: Revision?, confirmed: Revision?, updatedByApp: Revision? = nil,
        isConnected: Bool?, lastConnectedAt: Date?,
        startedAt: Date?, dismissedAt: Date?, scheduledAt: Date? = nil, frozen: FrozenCardBody? = nil,
        isBehind: Bool, why: String?
    ) {
        self.card = card
        self.device = device
        self.transport = transport
        self.state = state
        self.sent = sent
        self.timestamp = timestamp
        self.answered = answered
        self.assumedShown = assumedShown
        self.confirmed = confirmed
        self.updatedByApp = updatedByApp
        self.isConnected = isConnected
        self.lastConnectedAt = lastConnectedAt
        self.startedAt = startedAt
        self.dismissedAt = dismissedAt
        self.scheduledAt = scheduledAt
        self.frozen = frozen
        self.isBehind = isBehind
        self.why = why
    }
}

/// The remaining life of a card that no push can change until its app is opened; domain times, by the phone's own
/// rules.
public struct FrozenCardBody: Codable, Hashable, Sendable {
    /// When its start was sent; for a card in `starting`, no report confirms the start.
    public let since: Date
    /// When the card marks itself as stale; nil where that is unknown, or not before its end.
    public let staleAt: Date?
    /// When the system ends it: eight hours after its start.
    public let endsAt: Date
    /// The latest time at which the system removes the card from the Lock Screen.
    public let leavesAt: Date

    public init(since: Date, staleAt: Date?, endsAt: Date, leavesAt: Date) {
        self.since = since
        self.staleAt = staleAt
        self.endsAt = endsAt
        self.leavesAt = leavesAt
    }
}

/// A push to a card, or an operator's override.
public struct ActivityTimelineEntryBody: Codable, Hashable, Sendable {
    /// Domain time.
    public let at: Date
    /// `push` or `override`.
    public let kind: String
    public let device: String?
    public let card: String?
    /// `start`, `update`, `end`; of an override its verb.
    public let what: String
    public let priority: Int?
    public let timestamp: Int?
    public let revision: Revision?
    public let alert: String?
    public let result: String?
    public let by: String?
    public let reason: String?
    /// A push's rendered payload, without links and derived texts; nil where not requested or not kept.
    public let rendered: PushPayload?

    public init(
        at: Date, kind: String, device: String?, card: String?, what: String, priority: Int? = nil,
        timestamp: Int? = nil, revision: Revision? = nil, alert: String? = nil, result: String? = nil,
        by: String? = nil, reason: String? = nil, rendered: PushPayload? = nil
    ) {
        self.rendered = rendered
        self.at = at
        self.kind = kind
        self.device = device
        self.card = card
        self.what = what
        self.priority = priority
        self.timestamp = timestamp
        self.revision = revision
        self.alert = alert
        self.result = result
        self.by = by
        self.reason = reason
    }
}

/// The activities of a delivery, newest episode first.
public struct ActivitiesBody: Codable, Hashable, Sendable {
    public let activities: [ActivityBody]
    /// The devices that have or had a card of them, or may have one; nil from a service of an earlier version.
    public let phones: [CustomerPhoneBody]?

    public init(activities: [ActivityBody], phones: [CustomerPhoneBody]? = nil) {
        self.activities = activities
        self.phones = phones
    }
}

/// The request body of `POST /v1/activities/{id}/end-card`.
public struct EndCardBody: Codable, Hashable, Sendable {
    public var reason: String
    /// One device; nil for every device of the activity.
    public var device: String?

    public init(reason: String, device: String? = nil) {
        self.reason = reason
        self.device = device
    }
}

/// The number of cards that an override changed.
public struct OverriddenBody: Codable, Hashable, Sendable {
    public let cards: Int

    public init(cards: Int) { self.cards = cards }
}
