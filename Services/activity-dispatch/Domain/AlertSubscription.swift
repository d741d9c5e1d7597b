import FlowControl
import Foundation
import LiveActivity
import OrderDomain
import WebPushClient
import WireCoding

/// A browser that is notified of one delivery's alerts, each at most once.
struct AlertSubscription: Hashable, Sendable {
    let delivery: DeliveryID
    let browser: WebPushSubscription
    let locale: String
    /// Alerts that were sent, that came too late, or that were there when the browser subscribed; the newest last.
    private(set) var alertedIDs: [String]
    /// Consecutive attempts that certainly reached no browser.
    private(set) var failures = 0

    /// Browsers of one delivery; for one more the oldest is forgotten.
    static let deliveryMax = 10
    /// Browsers of one delivery that one proof of the order's number subscribes; likewise.
    static let proofMax = 2

    private static let retry = BackOff(first: .seconds(5), longest: .seconds(300))

    /// Applies the wanted state and reserves its alert: the alert is not sent again, whatever the result, unless
    /// ``release(_:now:rate:after:jitter:)`` releases it.
    ///
    /// - Parameters:
    ///   - wanted: of the delivery's newest episode; nil before there is one.
    ///   - now: domain time, epoch seconds.
    ///   - words: of a locale.
    /// - Returns: the notification to send; nil where there is none, or it has expired.
    mutating func reserve(
        _ wanted: ActivityStep?, now: Int, words: (String) -> Words = { Words(locale: $0) }
    ) -> AlertNotification? {
        guard let wanted, let alert = wanted.alert, !alert.isAnnounced(in: alertedIDs) else { return nil }
        alertedIDs = (alertedIDs + [alert.id]).suffix(Card.alertedIDsMax)
        guard alert.validUntil > now else { return nil }
        return AlertNotification(alert, of: wanted, to: delivery, words: words(locale), now: now)
    }

    /// Releases the reserved alert, which certainly reached no browser.
    ///
    /// - Parameters:
    ///   - rate: of the domain clock.
    ///   - pause: the wait that the push service demands; nil where it demands none.
    ///   - jitter: from 0 to 1.
    /// - Returns: the time of the next attempt, domain time; nil where the alert expires before.
    mutating func release(
        _ notification: AlertNotification, now: Date, rate: Double, after pause: Duration?, jitter: Double
    ) -> Date? {
        failures += 1
        let wait = max(Self.retry.delay(failures: failures, jitter: jitter), pause ?? .zero)
        let next = now.addingTimeInterval(wait / .seconds(1) * rate)
        guard next.epochSeconds < notification.validUntil else { return nil }
        alertedIDs.removeAll { $0 == notification.id }
        return next
    }
}
