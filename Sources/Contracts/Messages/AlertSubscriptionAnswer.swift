/// The answer to an ``AlertSubscriptionRequest``: the change is durable unless it was refused.
public struct AlertSubscriptionAnswer: Codable, Hashable, Sendable {
    public static let schema = 1

    public struct Refusal: Codable, Hashable, Sendable {
        public enum Reason: String, Codable, Hashable, Sendable, CaseIterable {
            /// The subscription is none, or of a push service that is not allowed.
            case malformed
            /// The delivery's card has ended.
            case ended

            /// An unknown code decodes as ``malformed``.
            public init(from decoder: any Decoder) throws {
                self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .malformed
            }
        }

        public let reason: Reason
        /// The fault in one sentence, without the sent values.
        public let detail: String

        public init(_ reason: Reason, _ detail: String) {
            self.reason = reason
            self.detail = detail
        }
    }

    public let schema: Int
    public let refusal: Refusal?

    public init(refusal: Refusal? = nil) {
        schema = Self.schema
        self.refusal = refusal
    }
}
