public import Foundation

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
