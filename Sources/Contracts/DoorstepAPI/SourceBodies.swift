public import Foundation
public import OrderDomain

/// The id of a shop's account at a delivery provider, which sends webhooks.
public struct SourceID: Identifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard isIdentifier(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// The request body of `PUT /v1/sources/{id}`: a provider account whose webhooks `partners` accepts.
public struct PutSourceBody: Codable, Sendable {
    /// `doordash`, `uber`, `instacart`, `onfleet` or `cloudevents`; never changed later.
    public var provider: String
    /// The courier's name for customers where the provider names none, 1 to 40 characters; by default the provider's
    /// name.
    public var name: String?
    /// The only store whose deliveries it may report on; nil for every store.
    public var store: StoreID?
    /// The provider's signing or access secret, where the provider creates it; generated when absent, where that is
    /// possible.
    public var secret: String?
    /// Whether test-mode events of the provider are applied as real ones; false by default.
    public var acceptsTest: Bool?

    public init(
        provider: String, name: String? = nil, store: StoreID? = nil, secret: String? = nil,
        acceptsTest: Bool? = nil
    ) {
        self.provider = provider
        self.name = name
        self.store = store
        self.secret = secret
        self.acceptsTest = acceptsTest
    }
}

/// The request body of `POST /v1/sources/{id}/secrets`: a secret to add to the present one.
public struct NewSecretBody: Codable, Sendable {
    /// The secret; generated when absent, where that is possible.
    public var secret: String?

    public init(secret: String? = nil) { self.secret = secret }
}

/// A provider account whose webhooks `partners` accepts.
public struct SourceBody: Codable, Sendable {
    public let id: SourceID
    public let provider: String
    public let name: String?
    public let store: StoreID?
    public let acceptsTest: Bool
    /// The URL for the provider's webhooks.
    public let url: String
    /// The URL where the provider fetches a token with this source's id and a secret; nil where the provider needs
    /// none.
    public let tokenURL: String?
    /// The source's secrets, oldest first: one, two during a rotation, or up to four after repeated requests.
    public let secrets: [Secret]
    public let createdAt: Date

    public struct Secret: Codable, Hashable, Sendable {
        public let id: String
        public let createdAt: Date
        /// The secret; only in the answer that created it, and only if it was generated.
        public let secret: String?

        public init(id: String, createdAt: Date, secret: String? = nil) {
            self.id = id
            self.createdAt = createdAt
            self.secret = secret
        }
    }

    public init(
        id: SourceID, provider: String, name: String?, store: StoreID?, acceptsTest: Bool, url: String,
        tokenURL: String?, secrets: [Secret], createdAt: Date
    ) {
        self.id = id
        self.provider = provider
        self.name = name
        self.store = store
        self.acceptsTest = acceptsTest
        self.url = url
        self.tokenURL = tokenURL
        self.secrets = secrets
        self.createdAt = createdAt
    }
}

/// The sources that the caller may see, by id.
public struct SourcesBody: Codable, Sendable {
    public let sources: [SourceBody]

    public init(sources: [SourceBody]) { self.sources = sources }
}

/// The request body of `PUT /v1/deliveries/{id}/provider`: the provider's reference of the delivery.
public struct ProviderReferenceBody: Codable, Hashable, Sendable {
    public var source: SourceID
    /// The reference in the provider's webhooks, 1 to 128 characters.
    public var reference: String

    public init(source: SourceID, reference: String) {
        self.source = source
        self.reference = reference
    }
}

/// The providers' references of a delivery.
public struct ProviderReferencesBody: Codable, Sendable {
    public let delivery: DeliveryID
    public let references: [ProviderReferenceBody]

    public init(delivery: DeliveryID, references: [ProviderReferenceBody]) {
        self.delivery = delivery
        self.references = references
    }
}

/// A page of events received from providers, newest first.
public struct ReceiptsBody: Codable, Sendable {
    public let receipts: [ReceiptBody]
    /// The value of `?cursor=` for the next page; nil on the last.
    public let next: String?

    public init(receipts: [ReceiptBody], next: String?) {
        self.receipts = receipts
        self.next = next
    }
}

/// One event that a provider sent, as it was kept.
public struct ReceiptBody: Codable, Sendable {
    public let id: String
    public let source: SourceID
    /// The provider's name of the event.
    public let kind: String
    /// The provider's references of the delivery.
    public let references: [String]
    public let state: State
    /// Whether this version knows the event's meaning.
    public let isKnown: Bool
    public let delivery: DeliveryID?
    public let receivedAt: Date
    /// The dismissal, of a dismissed event.
    public let dismissal: Dismissal?
    /// The received body; only for a single event.
    public let body: String?

    public enum State: String, Codable, CaseIterable, Sendable {
        /// The event was applied to a delivery.
        case applied
        /// No known delivery has any of its references yet.
        case waiting
        /// The event is of the provider's test mode, and changes nothing.
        case quarantined
        /// The sender is proven, but the body lacks the provider's envelope.
        case unreadable
        /// An operator decided to ignore the event.
        case dismissed
    }

    /// The dismissal's actor, time and reason.
    public struct Dismissal: Codable, Hashable, Sendable {
        public let by: String
        public let at: Date
        public let reason: String

        public init(by: String, at: Date, reason: String) {
            self.by = by
            self.at = at
            self.reason = reason
        }
    }

    public init(
        id: String, source: SourceID, kind: String, references: [String], state: State, isKnown: Bool,
        delivery: DeliveryID?, receivedAt: Date, dismissal: Dismissal? = nil, body: String? = nil
    ) {
        self.id = id
        self.source = source
        self.kind = kind
        self.references = references
        self.state = state
        self.isKnown = isKnown
        self.delivery = delivery
        self.receivedAt = receivedAt
        self.dismissal = dismissal
        self.body = body
    }
}

/// The number of stored events of a webhook; repeats do not count.
public struct ReceivedBody: Codable, Sendable {
    public let received: Int

    public init(received: Int) { self.received = received }
}

/// The answer to a provider that fetches a token, in the form of RFC 6749.
public struct AccessTokenBody: Codable, Sendable {
    public let accessToken: String
    public let tokenType: String
    public let expiresIn: Int

    public init(accessToken: String, expiresIn: Int) {
        self.accessToken = accessToken
        tokenType = "Bearer"
        self.expiresIn = expiresIn
    }

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
    }
}
