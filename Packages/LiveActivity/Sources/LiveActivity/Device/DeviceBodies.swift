public import Foundation

/// The request body of `PUT /v1/devices/{id}`: a device's abilities and permissions.
public struct RegisterDeviceBody: Codable, Hashable, Sendable {
    /// `stream` or `apns`; nil for `stream`.
    public var transport: String?
    /// The language, such as `da` or `en-GB`.
    public var locale: String?
    /// IANA name.
    public var timeZone: String?
    /// Whether the owner allows Live Activities; nil for true.
    public var activitiesEnabled: Bool?
    /// The app's account of the owner's permission, a code of ``ActivitiesPermission``; nil where it knows no more than
    /// ``activitiesEnabled``.
    public var activitiesPermission: String?
    /// Whether the owner allows frequent updates; nil for true.
    public var frequentPushesEnabled: Bool?
    public var appVersion: String?
    /// The iOS version, such as `17.2`; cards start by push from 17.2 on.
    public var osVersion: String?
    /// The app's bundle id without a suffix, such as `shop.nordhavn.app`.
    public var bundleID: String?
    /// The push-to-start token: another one, or its removal; an omitted token keeps the known one.
    public var pushToStartToken: PushTokenChange?
    /// The secret from an earlier registration of the device; a registration for another customer needs it.
    public var secret: String?

    public init(
        transport: String? = nil, locale: String? = nil, timeZone: String? = nil, activitiesEnabled: Bool? = nil,
        frequentPushesEnabled: Bool? = nil, appVersion: String? = nil, osVersion: String? = nil,
        bundleID: String? = nil, pushToStartToken: PushTokenChange? = nil, secret: String? = nil,
        activitiesPermission: String? = nil
    ) {
        self.transport = transport
        self.locale = locale
        self.timeZone = timeZone
        self.activitiesEnabled = activitiesEnabled
        self.activitiesPermission = activitiesPermission
        self.frequentPushesEnabled = frequentPushesEnabled
        self.appVersion = appVersion
        self.osVersion = osVersion
        self.bundleID = bundleID
        self.pushToStartToken = pushToStartToken
        self.secret = secret
    }
}

/// An owner's permission for an app's Live Activities.
///
/// iOS gives an app one bit, whether it may start any. The app knows more: iOS asks the owner with the app's first
/// card, so a permission that is missing after that card was refused, and one that is missing later was switched off.
public enum ActivitiesPermission: String, CaseIterable, Hashable, Sendable {
    case allowed
    /// The app has not started a card yet, and iOS asks with the first.
    case notAsked = "not_asked"
    case refused
    case switchedOff = "switched_off"

    /// Whether the app may start cards.
    public var isEnabled: Bool {
        switch self {
        case .allowed, .notAsked: true
        case .refused, .switchedOff: false
        }
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
    /// The secret for the device to store and send from then on; nil where the device has sent its own.
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
    /// The card of the report.
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

/// The request body of `POST /v1/devices/{id}/reports`: the states of cards on the device.
public struct ReportsBody: Codable, Hashable, Sendable {
    public var reports: [ReportBody]

    public init(reports: [ReportBody]) { self.reports = reports }
}

public struct ReportBody: Codable, Hashable, Sendable {
    public enum Kind: String, CaseIterable, Codable, Hashable, Sendable {
        case started, shown, ended, dismissed, stale
        /// The app has scheduled a card, which starts by itself later (iOS 26); with `startAt`.
        case pending
        /// The app could not start a card; with a code.
        case failed
        /// Every instance that the app sees, at its launch and whenever it reports them all; with instances.
        case inventory
    }

    /// The card's id, from its attributes.
    public var card: String?
    /// ActivityKit's own id of the Live Activity.
    public var instance: String?
    /// Names the card where `card` does not: a card that the app started itself may have no Doorstep id.
    public var activity: String?
    public var kind: Kind
    /// The revision of the shown content.
    public var revision: Revision?
    /// The card's update token; an omitted token keeps the known one.
    public var updateToken: PushTokenBody?
    /// Why no card started, as ActivityKit's `ActivityAuthorizationError` calls it: `denied`, `attributesTooLarge`,
    /// `targetMaximumExceeded`, `globalMaximumExceeded`, `unsupportedTarget`, `visibility`; an open string.
    public var code: String?
    /// The instances of an inventory.
    public var instances: [Instance]?
    /// With `revision`: true where the app itself put that content on the card, without a push.
    public var isUpdatedByApp: Bool?
    /// With `pending`: when the system starts it, epoch seconds; nil where the app was launched since and does not know.
    public var startAt: Int?
    /// When it happened, by the device's clock.
    public var at: Date?

    public init(
        card: String? = nil, instance: String? = nil, activity: String? = nil, kind: Kind, revision: Revision? = nil,
        updateToken: PushTokenBody? = nil, code: String? = nil, instances: [Instance]? = nil,
        isUpdatedByApp: Bool? = nil, startAt: Int? = nil, at: Date? = nil
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
        self.startAt = startAt
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
        /// The revision of the shown content.
        public var revision: Revision
        public var state: State
        /// True where the app itself put that content on the card, without a push.
        public var isUpdatedByApp: Bool?

        public init(
            instance: String, card: String? = nil, activity: String, revision: Revision, state: State,
            isUpdatedByApp: Bool? = nil
        ) {
            self.instance = instance
            self.card = card
            self.activity = activity
            self.revision = revision
            self.state = state
            self.isUpdatedByApp = isUpdatedByApp
        }
    }
}

/// The results of reports.
public struct ReportsTakenBody: Codable, Hashable, Sendable {
    /// Reports that were about cards that are known.
    public let taken: Int
    public let unknown: Int
    /// The app's instructions for each reported instance, and for others that only the app can end.
    public let instances: [Instance]

    public init(taken: Int, unknown: Int, instances: [Instance] = []) {
        self.taken = taken
        self.unknown = unknown
        self.instances = instances
    }

    public struct Instance: Codable, Hashable, Sendable {
        public enum Action: String, CaseIterable, Codable, Hashable, Sendable {
            case keep
            /// The app is to end the instance at once: a duplicate, a replaced card, or one that is over.
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

/// The answer of `GET /v1/devices/{id}/wanted`: the device's wanted activities, in the order of display.
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
        /// The order of this content among pushes where the app puts it on a present card, epoch seconds: not before
        /// any sent push, and before every later push.
        ///
        /// By the server's clock, since a phone's clock may be wrong, and a timestamp that is too high would keep out
        /// later pushes. Nil from a server before 0.22, of whose content an app updates no card.
        public let timestamp: Int?
        /// The order to schedule it on iOS 26; nil where it is not to be scheduled.
        public let schedule: Schedule?

        public init(
            activity: String, card: String?, startAt: Int, attributes: GroceryDeliveryAttributes,
            content: GroceryDeliveryAttributes.ContentState, staleAt: Int, relevance: Double, timestamp: Int? = nil,
            schedule: Schedule? = nil
        ) {
            self.activity = activity
            self.card = card
            self.startAt = startAt
            self.attributes = attributes
            self.content = content
            self.staleAt = staleAt
            self.relevance = relevance
            self.timestamp = timestamp
            self.schedule = schedule
        }

        /// How the app has the system start the card by itself at `startAt`.
        public struct Schedule: Codable, Hashable, Sendable {
            /// Of the start.
            public let alert: PushAlert
            /// The Live Activity that is known to be scheduled for then, or to have started so; nil where none is.
            ///
            /// An app ends every other one that is `pending`: no push can take it back.
            public let instance: String?

            public init(alert: PushAlert, instance: String?) {
                self.alert = alert
                self.instance = instance
            }
        }
    }
}
