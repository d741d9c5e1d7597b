import Foundation
public import LiveActivity

/// The body of a push before its content is decoded: valid JSON with an `aps` object, and the positions of its parts.
///
/// Apple's service inspects no more than this; the phone interprets the parts.
public struct PushEnvelope: Sendable {
    public let bytes: [UInt8]
    /// Nil where it is missing or none of the three.
    public let event: PushPayload.Event?
    /// When the state was produced, epoch seconds; nil where it is missing or not a whole number.
    public let timestamp: Int?
    let attributesType: String?
    let content: Range<Int>?
    let attributes: Range<Int>?
    let alert: Range<Int>?
    let staleDate: Int?
    let dismissalDate: Int?
    let relevanceScore: Double?
    let asksForUpdateToken: Bool
    /// Whether the started card is to listen on a broadcast channel.
    let hasChannel: Bool

    /// Reads a body; nil where it is not a JSON object with an `aps` object in it.
    public init?(_ bytes: [UInt8]) {
        var parts: [String: Range<Int>] = [:]
        parts.reserveCapacity(12)
        let isReadable = bytes.withUnsafeBufferPointer { buffer -> Bool in
            var aps: Range<Int>?
            var body = JSONScanner(buffer, in: 0..<buffer.count)
            let isObject = body.object { key, value in
                if buffer[key].elementsEqual("aps".utf8) { aps = value }
            }
            guard isObject, body.isAtEnd(), let aps else { return false }
            var scanner = JSONScanner(buffer, in: aps)
            return scanner.object { key, value in
                parts[String(decoding: buffer[key], as: UTF8.self)] = value
            }
        }
        guard isReadable else { return nil }
        self.bytes = bytes
        func text(_ key: String) -> String? { parts[key].map { String(decoding: bytes[$0], as: UTF8.self) } }
        func word(_ key: String) -> String? {
            guard let text = text(key), text.count >= 2, text.hasPrefix("\"") else { return nil }
            return String(text.dropFirst().dropLast())
        }
        event = word("event").flatMap(PushPayload.Event.init)
        timestamp = text("timestamp").flatMap { Int($0) }
        attributesType = word("attributes-type")
        content = parts["content-state"]
        attributes = parts["attributes"]
        alert = parts["alert"]
        staleDate = text("stale-date").flatMap { Int($0) }
        dismissalDate = text("dismissal-date").flatMap { Int($0) }
        relevanceScore = text("relevance-score").flatMap { Double($0) }
        asksForUpdateToken = text("input-push-token") == "1"
        hasChannel = parts["input-push-channel"] != nil
    }

    /// Bytes of the content as they were sent.
    var contentBytes: Int { content?.count ?? 0 }
    /// Bytes of the attributes as they were sent.
    var attributesBytes: Int { attributes?.count ?? 0 }

    /// The alert, where it has a title: the system ignores one without, its sound too.
    var decodedAlert: PushAlert? {
        guard let alert else { return nil }
        // The system ignores an alert that it cannot decode, without a report.
        return try? JSONDecoder().decode(TitledAlert.self, from: Data(bytes[alert])).alert
    }

    /// The push as the app's types have it, decoded with default strategies.
    ///
    /// - Parameter former: what the card shows; an end without content keeps it.
    /// - Returns: nil where a part that it needs is missing or does not decode: the system drops the push.
    func payload(keeping former: GroceryDeliveryAttributes.ContentState?) -> PushPayload? {
        guard let event, let timestamp else { return nil }
        var decoded: GroceryDeliveryAttributes.ContentState?
        if let content {
            decoded = decode(GroceryDeliveryAttributes.ContentState.self, content)
        } else if event == .end {
            decoded = former
        }
        guard let decoded else { return nil }
        var attributes: GroceryDeliveryAttributes?
        if event == .start {
            guard let range = self.attributes else { return nil }
            attributes = decode(GroceryDeliveryAttributes.self, range)
            guard attributes != nil else { return nil }
        }
        return PushPayload(
            aps: PushPayload.APS(
                timestamp: timestamp, event: event, contentState: decoded, attributesType: attributesType,
                attributes: attributes, alert: decodedAlert, staleDate: staleDate, dismissalDate: dismissalDate,
                relevanceScore: relevanceScore, inputPushToken: asksForUpdateToken ? 1 : nil))
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ range: Range<Int>) -> Value? {
        // The system drops a push that it cannot decode, without a report.
        try? JSONDecoder().decode(type, from: Data(bytes[range]))
    }
}

/// An alert that need not have a body.
private struct TitledAlert: Decodable {
    let title: PushText
    let body: PushText?
    let sound: String?

    var alert: PushAlert { PushAlert(title: title, body: body ?? .plain(""), sound: sound) }
}
