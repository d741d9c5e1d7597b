import Foundation
import LiveActivity
import PhoneRules

/// `PUT /v1/devices/{id}` as an app of another vendor writes it: the emulator shares no body with the service, so that a
/// change of the service's types that breaks apps is seen.
struct AppRegistration: Encodable, Sendable {
    let transport = "apns"
    let locale: String
    let timeZone = "UTC"
    let activitiesEnabled: Bool
    let frequentPushesEnabled: Bool
    let appVersion = "apns-emulator 1"
    let osVersion: String
    let bundleID: String
    /// Nil where the phone has none; what is known at the service is kept.
    let pushToStartToken: AppToken?
    let secret: String?
}

/// A token with what orders it among its successors.
struct AppToken: Encodable, Hashable, Sendable {
    let value: String
    let environment: APNsEnvironment
    let observedAt: Date
    let generation: Int
}

struct AppReports: Encodable, Sendable {
    let reports: [AppReport]
}

/// An app's report of one card, or of all its cards.
struct AppReport: Encodable, Hashable, Sendable {
    enum Kind: String, Encodable, Hashable, Sendable {
        case started, shown, ended, dismissed, stale, pending, failed, inventory
    }

    var card: String?
    var instance: String?
    var activity: String?
    let kind: Kind
    var revision: Revision?
    var updateToken: AppToken?
    /// With `failed`: what ActivityKit threw.
    var code: String?
    var instances: [AppInstance]?
    /// With `shown`: the app itself put the content on the card.
    var isUpdatedByApp: Bool?
    /// With `pending`: when the system starts it, epoch seconds.
    var startAt: Int?
    let at: Date
}

/// One card of an inventory.
struct AppInstance: Encodable, Hashable, Sendable {
    let instance: String
    let card: String?
    let activity: String
    let revision: Revision
    let state: String
}

/// The part of an answer to reports that an app obeys; an older service sends no instances.
struct AppInstruction: Decodable, Sendable {
    struct Instance: Decodable, Sendable {
        let instance: String
        let action: String
    }

    let instances: [Instance]?
}

/// The part of `GET /v1/devices/{id}/wanted` that an app starts cards by.
struct AppWanted: Decodable, Sendable {
    struct Activity: Decodable, Sendable {
        let activity: String
        let card: String?
        /// Epoch seconds.
        let startAt: Int
        let attributes: GroceryDeliveryAttributes
        let content: GroceryDeliveryAttributes.ContentState
        /// Epoch seconds.
        let staleAt: Int
        let relevance: Double
        /// Orders the content among pushes; nil from a service of before this field.
        let timestamp: Int?
        /// The order to schedule it on iOS 26; nil from a service of before this field.
        let schedule: Schedule?
    }

    struct Schedule: Decodable, Sendable {
        let alert: PushAlert
        /// The instance that the service knows to be scheduled.
        let instance: String?
    }

    let activities: [Activity]
}

extension AppWanted.Activity {
    /// The app's request to ActivityKit: with the card's id in the attributes, so that the app can name it.
    var shown: ShownActivity {
        let named = GroceryDeliveryAttributes(
            card: attributes.card ?? card, activity: attributes.activity, delivery: attributes.delivery,
            reference: attributes.reference, store: attributes.store, bag: attributes.bag,
            itemCount: attributes.itemCount, promise: attributes.promise, timeZone: attributes.timeZone,
            shop: attributes.shop)
        return ShownActivity(
            attributes: named, content: content, startAt: startAt, staleAt: staleAt, relevance: relevance,
            alert: nil)
    }

    /// The live cards that show it, in whatever revision.
    func cards(among activities: [AppActivity]) -> [AppActivity] {
        activities.filter { shown in
            shown.state.isLive
                && (shown.attributes.activity == activity || (card != nil && shown.attributes.card == card))
        }
    }

    /// Whether a card that shows it is older, or has gone stale although its content holds for longer.
    func isOutdated(_ shown: AppActivity, at now: Int) -> Bool {
        shown.content.revision < content.revision
            || (shown.state == .stale && shown.content.revision == content.revision && staleAt > now)
    }
}

/// The outcome of a press, as far as an app shows it on the card.
struct PressOutcome: Sendable {
    /// The outcome in one sentence, or the reason of a refusal.
    let message: String
    /// The card as it is now; nil where nothing was done.
    let content: GroceryDeliveryAttributes.ContentState?

    /// The card's content until the next push.
    func content(_ wanted: GroceryDeliveryAttributes.ContentState) -> GroceryDeliveryAttributes.ContentState {
        wanted.afterPress(message, answering: content)
    }
}
