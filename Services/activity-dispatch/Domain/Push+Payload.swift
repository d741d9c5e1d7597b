import DirectJSON
import Foundation
import LiveActivity
import Messages
import OrderDomain

extension Push {
    /// The payload of this push for the phone.
    var payload: PushPayload { checkedPayload ?? rendered(beside: countedAttributesBytes) }

    /// Bytes of the attributes that its card was started with; where they are not known, of the wanted ones.
    var countedAttributesBytes: Int {
        attributesBytes ?? wanted.attributes.with(card: card.uuidString.lowercased()).encodedBytes
    }

    /// The payload as it is rendered from the wanted state.
    ///
    /// - Parameter attributesBytes: size of the attributes that share the phone's limit with an update or an end.
    func rendered(beside attributesBytes: Int) -> PushPayload {
        switch (event, wanted) {
        case (.start, .show(let shown)): start(shown)
        case (.update, .show(let shown)):
            .update(shown, timestamp: timestamp, alert: alert, attributesBytes: attributesBytes)
        case (.end, .ended(let ended)) where dismissal != 0:
            .end(ended, timestamp: timestamp, alert: alert, attributesBytes: attributesBytes)
        case (.end, _): .endImmediately(wanted, timestamp: timestamp)
        // Only an activity that is shown is started or updated.
        case (.start, .ended), (.update, .ended): .endImmediately(wanted, timestamp: timestamp)
        }
    }

    private func start(_ shown: ShownActivity) -> PushPayload {
        var payload = PushPayload.start(shown.of(card), timestamp: timestamp, alert: alert)
        if !asksForToken { payload.aps.inputPushToken = nil }
        return payload
    }

    /// The state as the start of a card, for a device that has never received the start; a second older than the push,
    /// which follows it.
    var payloadAsStart: PushPayload {
        switch wanted {
        case .show(let shown): .start(shown.of(card), timestamp: timestamp - 1, alert: nil)
        case .ended(let ended):
            .start(
                ShownActivity(
                    attributes: ended.attributes, content: ended.content, startAt: ended.endedAt,
                    staleAt: timestamp + Dismissal.keptSecondsMax, relevance: 0, alert: nil
                ).of(card),
                timestamp: timestamp - 1, alert: nil)
        }
    }

    /// The event for the device's stream: the checked bytes, without a second encoding.
    func eventText(delivery: DeliveryID?) throws -> String {
        guard let checkedBytes else { return try event(payload, delivery: delivery) }
        return try eventText(checkedBytes, delivery: delivery)
    }

    /// The event for a device that has never received the start; nil where it does not fit into a push.
    func startEventText(delivery: DeliveryID?) throws -> String? {
        // `encoded()` refuses a payload that is too large: the device then receives the push's own event.
        guard let bytes = try? payloadAsStart.encoded() else { return nil }
        return try eventText(bytes, delivery: delivery)
    }

    private func eventText(_ payload: [UInt8], delivery: DeliveryID?) throws -> String {
        let head = EventHead(
            activity: activity.rawValue, card: card.uuidString.lowercased(), delivery: delivery?.rawValue)
        // The payload is the last of the keys in their order.
        return try DirectJSONEncoder().encode(head).text.dropLast() + ",\"payload\":" + payload.text + "}"
    }

    /// An event but for its payload.
    private struct EventHead: Encodable {
        let activity: String
        let card: String
        let delivery: String?
    }

    /// The stream's event for a payload.
    func event(_ payload: PushPayload, delivery: DeliveryID?) throws -> String {
        try DeviceEventBody(
            card: card.uuidString.lowercased(), activity: activity.rawValue, delivery: delivery?.rawValue,
            payload: payload
        ).text()
    }
}

extension ShownActivity {
    /// The content with the card's id in its attributes, by which the app identifies the card.
    func of(_ card: UUID) -> ShownActivity {
        ShownActivity(
            attributes: attributes.with(card: card.uuidString.lowercased()), content: content, startAt: startAt,
            staleAt: staleAt, relevance: relevance, alert: alert)
    }
}

extension DeviceEventBody {
    /// The event as one line of JSON for the stream.
    func text() throws -> String {
        try DirectJSONEncoder().encode(self).text
    }
}

extension Collection<UInt8> {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
