import Crypto
import Foundation
import LiveActivity
import OrderDomain
import TextCoding
import WebPushClient
import WireCoding

/// A browser notification of an alert: the texts of a phone's alert, and the URL for a tap.
struct AlertNotification: Hashable, Sendable {
    let id: String
    /// Epoch seconds after which the notification expires.
    let validUntil: Int
    let content: Content

    /// The JSON that the pages' service worker reads.
    struct Content: Codable, Hashable, Sendable {
        let title: String
        let body: String
        let language: String
        /// A newer notification with the same tag replaces it.
        let tag: String
        /// The path of the delivery's page, from the card's own button; nil without a button.
        let path: String?
    }

    /// - Parameters:
    ///   - wanted: the state that has the alert.
    ///   - words: in the browser's language.
    ///   - now: domain time, epoch seconds.
    init(_ alert: ActivityAlert, of wanted: ActivityStep, to delivery: DeliveryID, words: Words, now: Int) {
        let zone = wanted.attributes.timeZone
        id = alert.id
        validUntil = alert.validUntil
        let details = wanted.content.buttons.first { $0.verb == Verb.details.rawValue }
        content = Content(
            title: words.text(alert.title, timeZone: zone, now: now),
            body: words.text(alert.body, timeZone: zone, now: now),
            language: words.language, tag: delivery.rawValue, path: details.flatMap { URL(string: $0.url)?.path })
    }

    /// The Web Push message; the push service keeps it while the alert is valid.
    ///
    /// - Parameter rate: of the domain clock.
    func message(now: Int, rate: Double) throws -> WebPushMessage {
        let valid = Duration.seconds(Double(max(0, validUntil - now)) / rate)
        return try WebPushMessage(
            plaintext: [UInt8](WireJSON.encode(content)), timeToLive: min(valid, WebPushMessage.timeToLiveMax),
            urgency: .high, topic: topic)
    }

    /// The topic, derived from the delivery, so that an offline browser gets the newest alert alone; the push service
    /// reads the topic, so it hides the delivery's id.
    private var topic: String {
        Hexadecimal.encode(SHA256.hash(data: Data(content.tag.utf8)).prefix(16))
    }
}
