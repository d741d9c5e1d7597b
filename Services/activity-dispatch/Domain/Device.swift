import DoorstepAPI
import FlowControl
import Foundation
import OrderDomain

/// A phone or a terminal that shows cards, and the customer who is signed in on it.
struct Device: Hashable, Sendable {
    enum Transport: String, CaseIterable, Codable, Sendable {
        /// Server-sent events that the device reads.
        case stream
        case apns
    }

    let id: DeviceID
    var customer: CustomerID
    /// The store that the device was registered for, with a token restricted to it; nil shows all of the customer's.
    var store: StoreID?
    var transport: Transport
    var locale: String
    var timeZone: String
    /// Whether its owner allows Live Activities.
    var isEnabled: Bool
    var allowsFrequentPushes: Bool
    var appVersion: String?
    /// The token with which APNs starts a card; nil until the app reports one.
    var pushToStartToken: String?
    var registeredAt: Date
    var starts: TokenBucket
    /// Why the app could not start a card, while that is to be waited for.
    var startFailure: StartFailure?

    /// What the app reported when it could not start a card.
    struct StartFailure: Codable, Hashable, Sendable {
        /// As ActivityKit's `ActivityAuthorizationError` calls it.
        let code: String
        /// Until when no card is started.
        let until: Date
    }

    /// Whether the device may show an activity: its customer's, and of its store where it is registered for one.
    func mayShow(_ activity: Activity) -> Bool {
        activity.customer == customer && (store == nil || activity.store == store)
    }

    /// Whether a token with this scope may use the device: one that is restricted to a store only what was registered
    /// for that store.
    func isUsable(within scope: TokenScope) -> Bool {
        scope.delivery == nil && (scope.store == nil || scope.store == store)
    }

    /// Takes in that the app could not start a card.
    ///
    /// `visibility` is of apps in the background alone, and no reason to start none from here. A phone that has as many
    /// cards as it takes has room again when another app's card ends.
    mutating func startFailed(_ code: String, at now: Date) {
        switch code {
        case "denied": isEnabled = false
        case "visibility": break
        case "targetMaximumExceeded", "globalMaximumExceeded":
            startFailure = StartFailure(code: code, until: now.addingTimeInterval(15 * 60))
        default: startFailure = StartFailure(code: code, until: now.addingTimeInterval(3600))
        }
    }

    /// Whether a card can be started from here at all.
    var canStart: Bool { transport == .stream || pushToStartToken != nil }
}
