import Crypto
import Foundation
import LiveActivity
import OrderDomain
import TextCoding
import WebPushClient
import WireCoding

/// What a browser shows of an alert: the words that a phone would show, and where a tap leads.
struct AlertNotification: Hashable, Sendable {
    let id: String
    /// Epoch seconds after which it is shown no more.
    let validUntil: Int
    let content: Content

    /// As the pages' service worker reads it.
    struct Content: Codable, Hashable, Sendable {
        let title: String
        let body: String
        let language: String
        /// A newer notification with the same takes its place.
        let tag: String
        /// Of the delivery's page: the link of the card's own button; nil where it has none.
        let path: String?
    }

    /// - Parameters:
    ///   - wanted: the state that has the alert.
    ///   - now: domain time, epoch seconds.
    init(_ alert: ActivityAlert, of wanted: ActivityStep, to delivery: DeliveryID, locale: String, now: Int) {
        let (words, zone) = (Words(locale: locale), wanted.attributes.timeZone)
        id = alert.id
        validUntil = alert.validUntil
        let details = wanted.content.buttons.first { $0.verb == Verb.details.rawValue }
        content = Content(
            title: words.text(alert.title, timeZone: zone, now: now),
            body: words.text(alert.body, timeZone: zone, now: now),
            language: words.language, tag: delivery.rawValue, path: details.flatMap { URL(string: $0.url)?.path })
    }

    /// What is handed to the push service, which keeps it for as long as the alert is valid.
    ///
    /// - Parameter rate: of the domain clock.
    func message(now: Int, rate: Double) throws -> WebPushMessage {
        let valid = Duration.seconds(Double(max(0, validUntil - now)) / rate)
        return try WebPushMessage(
            plaintext: [UInt8](WireJSON.encode(content)), timeToLive: min(valid, WebPushMessage.timeToLiveMax),
            urgency: .high, topic: topic)
    }

    /// The delivery's, so that a browser that was away gets its newest alert alone; the push service reads it, so that
    /// it has nothing of the delivery's id.
    private var topic: String {
        Hexadecimal.encode(SHA256.hash(data: Data(content.tag.utf8)).prefix(16))
    }
}
