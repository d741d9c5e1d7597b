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
    /// Of the system, such as `17.2`; cards start from a server from 17.2 on.
    public var osVersion: String?
    /// Such as `shop.nordhavn.app`: of the app, without a suffix.
    public var bundleID: String?
    /// What APNs starts a card with: another one, or none any more; what is known stays when it is left out.
    public var pushToStartToken: PushTokenChange?
    /// What an earlier registration of the device was answered with; another customer's needs it.
    public var secret: String?

    public init(
        transport: String? = nil, locale: String? = nil, timeZone: String? = nil, activitiesEnabled: Bool? = nil,
        frequentPushesEnabled: Bool? = nil, appVersion: String? = nil, osVersion: String? = nil,
        bundleID: String? = nil, pushToStartToken: PushTokenChange? = nil, secret: String? = nil
    ) {
        self.transport = transport
        self.locale = locale
        self.timeZone = timeZone
        self.activitiesEnabled = activitiesEnabled
        self.frequentPushesEnabled = frequentPushesEnabled
        self.appVersion = appVersion
        self.osVersion = osVersion
        self.bundleID = bundleID
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
        /// The app could not start a card; with a code.
        case failed
        /// Everything that the app sees when it is launched; with instances.
        case inventory
    }

    /// The card's id, from its attributes.
    public var card: String?
    /// ActivityKit's own id of the Live Activity.
    public var instance: String?
    /// Names the card where `card` does not: a card that the app started by itself may have no id of ours.
    public var activity: String?
    public var kind: Kind
    /// Of the content that is shown.
    public var revision: Revision?
    /// What APNs updates the card with; what is known stays when it is left out.
    public var updateToken: PushTokenBody?
    /// Why no card started, as ActivityKit's `ActivityAuthorizationError` calls it: `denied`, `attributesTooLarge`,
    /// `targetMaximumExceeded`, `globalMaximumExceeded`, `unsupportedTarget`, `visibility`; an open string.
    public var code: String?
    /// Of an inventory.
    public var instances: [Instance]?
    /// With `shown`: true where the app itself put the content on the card, from what was wanted; no push did.
    public var isUpdatedByApp: Bool?
    /// When it happened, by the device's clock.
    public var at: Date?

    public init(
        card: String? = nil, instance: String? = nil, activity: String? = nil, kind: Kind, revision: Revision? = nil,
        updateToken: PushTokenBody? = nil, code: String? = nil, instances: [Instance]? = nil,
        isUpdatedByApp: Bool? = nil, at: Date? = nil
    ) {
        self.card = card
        self.instance = instance
        self.activity = activity
        self.kind = kind
        self.revision = revision
        self.updateToken = updateToken
        self.code = code
        self.instances = instances
        self.isUpdatedByApp = isUpdatedByApp
        self.at = at
    }

    /// A Live Activity that the app sees.
    public struct Instance: Codable, Hashable, Sendable {
        public enum State: String, CaseIterable, Codable, Hashable, Sendable {
            case active, stale, ended, pending
        }

        /// ActivityKit's own id of it.
        public var instance: String
        /// The card's id, from the attributes; nil on one that the app started without.
        public var card: String?
        public var activity: String
        /// Of the content that is shown.
        public var revision: Revision
        public var state: State

        public init(instance: String, card: String? = nil, activity: String, revision: Revision, state: State) {
            self.instance = instance
            self.card = card
            self.activity = activity
            self.revision = revision
            self.state = state
        }
    }
}

/// What became of reports.
public struct ReportsTakenBody: Codable, Hashable, Sendable {
    /// Reports that were about cards that are known.
    public let taken: Int
    public let unknown: Int
    /// What the app is to do with each instance that the reports named, and with others that only it can end.
    public let instances: [Instance]

    public init(taken: Int, unknown: Int, instances: [Instance] = []) {
        self.taken = taken
        self.unknown = unknown
        self.instances = instances
    }

    public struct Instance: Codable, Hashable, Sendable {
        public enum Action: String, CaseIterable, Codable, Hashable, Sendable {
            case keep
            /// To be ended at once: a duplicate, a card that another replaced, or one that is over.
            case end
        }

        public let instance: String
        public let action: Action

        public init(instance: String, action: Action) {
            self.instance = instance
            self.action = action
        }
    }
}

/// What `GET /v1/devices/{id}/wanted` answers: what the device should show now, what comes first at the front.
public struct WantedBody: Codable, Hashable, Sendable {
    public let activities: [Activity]

    public init(activities: [Activity]) { self.activities = activities }

    public struct Activity: Codable, Hashable, Sendable {
        public let activity: String
        /// The card that is to show it, for the attributes of the card that the app starts; nil where none was made.
        public let card: String?
        /// When a server starts it, epoch seconds; the app may before.
        public let startAt: Int
        public let attributes: GroceryDeliveryAttributes
        public let content: GroceryDeliveryAttributes.ContentState
        /// Epoch seconds.
        public let staleAt: Int
        public let relevance: Double
        /// Orders this content among pushes where the app puts it on a card that is there, epoch seconds: not before any
        /// push that was sent, and before every push that is rendered later.
        ///
        /// By the server's clock, since a phone's clock may be wrong, and a timestamp that is too high would keep out
        /// later pushes. Nil from a server before 0.22, of whose content an app updates no card.
        public let timestamp: Int?

        public init(
            activity: String, card: String?, startAt: Int, attributes: GroceryDeliveryAttributes,
            content: GroceryDeliveryAttributes.ContentState, staleAt: Int, relevance: Double, timestamp: Int? = nil
        ) {
            self.activity = activity
            self.card = card
            self.startAt = startAt
            self.attributes = attributes
            self.content = content
            self.staleAt = staleAt
            self.relevance = relevance
            self.timestamp = timestamp
        }
    }
}
