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

    /// Whether a card can be started from here at all.
    var canStart: Bool { transport == .stream || pushToStartToken != nil }
}
