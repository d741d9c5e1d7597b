internal import DirectJSON

/// One message to one card, as Apple's push service and the device stream carry it: `{"aps": {…}}`.
public struct PushPayload: Codable, Hashable, Sendable {
    /// The most bytes of one push to a device that Apple accepts.
    public static let payloadBytesMax = 4096

    public var aps: APS { didSet { counted = nil } }

    /// The bytes counted for the size check, kept so that they are encoded once; nil after a change.
    private(set) var counted: [UInt8]?

    public init(aps: APS) { self.aps = aps }

    private enum CodingKeys: String, CodingKey { case aps }

    public static func == (one: PushPayload, other: PushPayload) -> Bool { one.aps == other.aps }

    public func hash(into hasher: inout Hasher) { hasher.combine(aps) }

    /// The encoded bytes, of any size.
    func wholeBytes() throws -> [UInt8] { try counted ?? Self.bytes(self) }

    /// The number of encoded bytes, which are kept until a change.
    mutating func countBytes() throws -> Int {
        let bytes = try wholeBytes()
        counted = bytes
        return bytes.count
    }

    public enum Event: String, CaseIterable, Codable, Hashable, Sendable {
        case start, update, end
    }

    public struct APS: Codable, Hashable, Sendable {
        /// When the state was rendered, epoch seconds; strictly increasing on each card.
        public var timestamp: Int
        public var event: Event
        public var contentState: GroceryDeliveryAttributes.ContentState
        /// On a start only, with `attributes`.
        public var attributesType: String?
        public var attributes: GroceryDeliveryAttributes?
        public var alert: PushAlert?
        /// Epoch seconds.
        public var staleDate: Int?
        /// Epoch seconds, in the past for at once; on an end only, and nil where the system is to choose.
        public var dismissalDate: Int?
        public var relevanceScore: Double?
        /// 1 asks the started card for its update token.
        public var inputPushToken: Int?

        public init(
            timestamp: Int, event: Event, contentState: GroceryDeliveryAttributes.ContentState,
            attributesType: String? = nil, attributes: GroceryDeliveryAttributes? = nil, alert: PushAlert? = nil,
            staleDate: Int? = nil, dismissalDate: Int? = nil, relevanceScore: Double? = nil, inputPushToken: Int? = nil
        ) {
            self.timestamp = timestamp
            self.event = event
            self.contentState = contentState
            self.attributesType = attributesType
            self.attributes = attributes
            self.alert = alert
            self.staleDate = staleDate
            self.dismissalDate = dismissalDate
            self.relevanceScore = relevanceScore
            self.inputPushToken = inputPushToken
        }

        enum CodingKeys: String, CodingKey {
            case timestamp, event, attributes, alert
            case contentState = "content-state"
            case attributesType = "attributes-type"
            case staleDate = "stale-date"
            case dismissalDate = "dismissal-date"
            case relevanceScore = "relevance-score"
            case inputPushToken = "input-push-token"
        }
    }

    /// Starts a card; without an alert it gets one without sound, since a start must have one.
    public static func start(_ shown: ShownActivity, timestamp: Int, alert: ActivityAlert?) -> PushPayload {
        PushPayload(
            aps: APS(
                timestamp: timestamp, event: .start, contentState: shown.content,
                attributesType: String(describing: GroceryDeliveryAttributes.self), attributes: shown.attributes,
                alert: alert.map(PushAlert.init) ?? .quiet(shown.attributes), staleDate: shown.staleAt,
                relevanceScore: shown.relevance, inputPushToken: 1)
        ).fitted(beside: shown.attributes)
    }

    /// Updates a card; without sound, unless `alert` is given.
    ///
    /// - Parameter attributesBytes: of the attributes that the card was started with; nil for these.
    public static func update(
        _ shown: ShownActivity, timestamp: Int, alert: ActivityAlert?, attributesBytes: Int? = nil
    ) -> PushPayload {
        PushPayload(
            aps: APS(
                timestamp: timestamp, event: .update, contentState: shown.content, alert: alert.map(PushAlert.init),
                staleDate: shown.staleAt, relevanceScore: shown.relevance)
        ).fitted(beside: shown.attributes, attributesBytes: attributesBytes)
    }

    /// Ends a card with its last content and the activity's dismissal date.
    ///
    /// - Parameter attributesBytes: of the attributes that the card was started with; nil for these.
    public static func end(
        _ ended: EndedActivity, timestamp: Int, alert: ActivityAlert?, attributesBytes: Int? = nil
    ) -> PushPayload {
        PushPayload(
            aps: APS(
                timestamp: timestamp, event: .end, contentState: ended.content, alert: alert.map(PushAlert.init),
                dismissalDate: ended.dismissal.pushedDate(endedAt: ended.endedAt, now: timestamp),
                relevanceScore: Relevance.ended)
        ).fitted(beside: ended.attributes, attributesBytes: attributesBytes)
    }

    /// Ends a card at once that another card replaces, or whose customer signed out of the device.
    ///
    /// The payload has no content except the end, since the device may be another customer's by now.
    public static func endImmediately(_ step: ActivityStep, timestamp: Int) -> PushPayload {
        .endImmediately(step.content, timestamp: timestamp)
    }

    /// The push as an immediate end without content.
    public var silencedEnd: PushPayload { .endImmediately(aps.contentState, timestamp: aps.timestamp) }

    private static func endImmediately(
        _ content: GroceryDeliveryAttributes.ContentState, timestamp: Int
    ) -> PushPayload {
        let empty = GroceryDeliveryAttributes.ContentState(
            headline: Phrase(code: "", text: ""), phase: .ended,
            // A number outside JSON's would keep the end from being sent.
            progress: content.progress.isFinite ? content.progress : 1, revision: content.revision)
        return PushPayload(
            aps: APS(
                timestamp: timestamp, event: .end, contentState: empty, alert: nil,
                dismissalDate: Dismissal.immediate.date(endedAt: 0, now: timestamp), relevanceScore: Relevance.ended))
    }

    /// The bytes to send: sorted keys, slashes as they are, the same for the same payload.
    ///
    /// - Throws: `PayloadTooLarge` past 4,096 bytes, which `fitted(beside:)` rules out.
    public func encoded() throws -> [UInt8] {
        let bytes = try wholeBytes()
        guard bytes.count <= Self.payloadBytesMax else { throw PayloadTooLarge(bytes: bytes.count) }
        return bytes
    }

    /// Reads a payload with default strategies, as a phone does.
    /// - Throws: `DecodingError` for bytes that are not a payload.
    public init(decoding bytes: some Sequence<UInt8>) throws {
        self = try DirectJSONDecoder().decode(PushPayload.self, from: Array(bytes))
    }

    static func bytes(_ value: some Encodable) throws -> [UInt8] { try DirectJSONEncoder().encode(value) }
}

/// A payload that cannot be made to fit.
public struct PayloadTooLarge: Error, Hashable, Sendable {
    public let bytes: Int
}
