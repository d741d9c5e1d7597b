public import Foundation
public import LiveActivity

/// What `PUT /v1/devices/{id}` takes: what a device is able and allowed to show.
public struct RegisterDeviceBody: Codable, Hashable, Sendable {
    /// `stream` or `apns`; `stream` when it is left out.
    public var transport: String?
    /// Such as `da` or `en-GB`.
    public var locale: String?
    /// IANA name.
    public var timeZone: String?
    /// Whether the owner allows Live Activities; true when it is left out.
    public var activitiesEnabled: Bool?
    /// Whether the owner allows frequent updates; true when it is left out.
    public var frequentPushesEnabled: Bool?
    public var appVersion: String?
    /// Hex; what APNs starts a card with.
    public var pushToStartToken: String?
    /// What an earlier registration of the device was answered with; another customer's needs it.
    public var secret: String?

    public init(
        transport: String? = nil, locale: String? = nil, timeZone: String? = nil, activitiesEnabled: Bool? = nil,
        frequentPushesEnabled: Bool? = nil, appVersion: String? = nil, pushToStartToken: String? = nil,
        secret: String? = nil
    ) {
        self.transport = transport
        self.locale = locale
        self.timeZone = timeZone
        self.activitiesEnabled = activitiesEnabled
        self.frequentPushesEnabled = frequentPushesEnabled
        self.appVersion = appVersion
        self.pushToStartToken = pushToStartToken
        self.secret = secret
    }
}

/// A registered device.
public struct DeviceBody: Codable, Hashable, Sendable {
    public let id: String
    public let customer: String
    public let transport: String
    public let locale: String
    public let timeZone: String
    public let activitiesEnabled: Bool
    public let frequentPushesEnabled: Bool
    public let appVersion: String?
    /// Domain time of the last registration.
    public let registeredAt: Date
    /// The newest id of the device's stream; 0 before the first event.
    public let lastEventID: Int
    /// For the device to keep and to send from then on; nil where it has sent its own.
    public let secret: String?

    public init(
        id: String, customer: String, transport: String, locale: String, timeZone: String, activitiesEnabled: Bool,
        frequentPushesEnabled: Bool, appVersion: String?, registeredAt: Date, lastEventID: Int,
        secret: String? = nil
    ) {
        self.id = id
        self.customer = customer
        self.transport = transport
        self.locale = locale
        self.timeZone = timeZone
        self.activitiesEnabled = activitiesEnabled
        self.frequentPushesEnabled = frequentPushesEnabled
        self.appVersion = appVersion
        self.registeredAt = registeredAt
        self.lastEventID = lastEventID
        self.secret = secret
    }
}

/// The data of one event of `GET /v1/devices/{id}/stream`.
public struct DeviceEventBody: Codable, Hashable, Sendable {
    /// Which card it is for.
    public let card: String
    public let activity: String
    /// Nil on a summary.
    public let delivery: String?
    public let payload: PushPayload

    public init(card: String, activity: String, delivery: String?, payload: PushPayload) {
        self.card = card
        self.activity = activity
        self.delivery = delivery
        self.payload = payload
    }
}

/// What `POST /v1/devices/{id}/reports` takes: the states of cards on the device.
public struct ReportsBody: Codable, Hashable, Sendable {
    public var reports: [ReportBody]

    public init(reports: [ReportBody]) { self.reports = reports }
}

public struct ReportBody: Codable, Hashable, Sendable {
    public enum Kind: String, CaseIterable, Codable, Hashable, Sendable {
        case started, shown, ended, dismissed, stale
    }

    /// The card's id, where the device knows it.
    public var card: String?
    /// Names the card where `card` does not: a card that the app started has no id of ours yet.
    public var activity: String?
    public var kind: Kind
    /// Of the push that is shown, epoch seconds.
    public var timestamp: Int?
    /// Hex; what APNs updates the card with.
    public var updateToken: String?
    /// When it happened, by the device's clock.
    public var at: Date?

    public init(
        card: String? = nil, activity: String? = nil, kind: Kind, timestamp: Int? = nil, updateToken: String? = nil,
        at: Date? = nil
    ) {
        self.card = card
        self.activity = activity
        self.kind = kind
        self.timestamp = timestamp
        self.updateToken = updateToken
        self.at = at
    }
}

/// How many reports were about cards that are known.
public struct ReportsTakenBody: Codable, Hashable, Sendable {
    public let taken: Int
    public let unknown: Int

    public init(taken: Int, unknown: Int) {
        self.taken = taken
        self.unknown = unknown
    }
}

/// An activity: what its customer should see, and what each of its cards shows.
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
    /// Whether the device's stream is open, up to seconds ago; nil where it never was, as with APNs.
    public let isConnected: Bool?
    /// Domain time up to which the device's stream is known to have been open.
    public let lastConnectedAt: Date?
    public let startedAt: Date?
    public let dismissedAt: Date?
    /// Whether it should show something else than it does, and the system is to mend it.
    ///
    /// A device that cannot show a card, as `why` says, is not behind.
    public let isBehind: Bool
    /// Why it does not show the wanted state, or why nothing is to do; an open code.
    public let why: String?

    public init(
        card: String, device: String, transport: String, state: String, sent: Revision?, timestamp: Int?,
        answered: String?, assumedShown: Revision?, confirmed: Revision?, isConnected: Bool?, lastConnectedAt: Date?,
        startedAt: Date?, dismissedAt: Date?, isBehind: Bool, why: String?
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
        self.isConnected = isConnected
        self.lastConnectedAt = lastConnectedAt
        self.startedAt = startedAt
        self.dismissedAt = dismissedAt
        self.isBehind = isBehind
        self.why = why
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

    public init(
        at: Date, kind: String, device: String?, card: String?, what: String, priority: Int? = nil,
        timestamp: Int? = nil, revision: Revision? = nil, alert: String? = nil, result: String? = nil,
        by: String? = nil, reason: String? = nil
    ) {
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

    public init(activities: [ActivityBody]) { self.activities = activities }
}

/// What `POST /v1/activities/{id}/end-card` takes.
public struct EndCardBody: Codable, Hashable, Sendable {
    public var reason: String
    /// One device; every device of the activity when it is left out.
    public var device: String?

    public init(reason: String, device: String? = nil) {
        self.reason = reason
        self.device = device
    }
}

/// How many cards an override touched.
public struct OverriddenBody: Codable, Hashable, Sendable {
    public let cards: Int

    public init(cards: Int) { self.cards = cards }
}
