public import Foundation
public import OrderDomain

/// Names an account at a delivery provider that webhooks come from; the shop's.
public struct SourceID: Identifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard isIdentifier(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// What `PUT /v1/sources/{id}` takes: an account at a provider whose webhooks are taken in.
public struct PutSourceBody: Codable, Sendable {
    /// `doordash`, `uber`, `instacart`, `onfleet` or `cloudevents`; never changed later.
    public var provider: String
    /// What customers call whoever brings it where nobody is named, 1 to 40 characters; the provider's name without it.
    public var name: String?
    /// The only store whose deliveries it may report on; absent for every store.
    public var store: StoreID?
    /// What the provider signs with, or is let in by, where the provider makes it; made here without it, where it may be.
    public var secret: String?
    /// Whether events of the provider's test mode are taken for real; false without it.
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

/// What `POST /v1/sources/{id}/secrets` takes: the secret that comes beside the present one.
public struct NewSecretBody: Codable, Sendable {
    /// Made here without it, where it may be.
    public var secret: String?

    public init(secret: String? = nil) { self.secret = secret }
}

/// An account at a provider whose webhooks are taken in.
public struct SourceBody: Codable, Sendable {
    public let id: SourceID
    public let provider: String
    public let name: String?
    public let store: StoreID?
    public let acceptsTest: Bool
    /// Where the provider sends its webhooks.
    public let url: String
    /// Where the provider fetches a token, by this source's id and a secret; absent where it needs none.
    public let tokenURL: String?
    /// One, or two while one replaces the other; oldest first.
    public let secrets: [Secret]
    public let createdAt: Date

    public struct Secret: Codable, Hashable, Sendable {
        public let id: String
        public let createdAt: Date
        /// In the answer that made it alone, and only where it was made here.
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

/// What `PUT /v1/deliveries/{id}/provider` takes: what a provider calls the delivery.
public struct ProviderReferenceBody: Codable, Hashable, Sendable {
    public var source: SourceID
    /// As the provider's webhooks have it, 1 to 128 characters.
    public var reference: String

    public init(source: SourceID, reference: String) {
        self.source = source
        self.reference = reference
    }
}

/// What the providers call a delivery.
public struct ProviderReferencesBody: Codable, Sendable {
    public let delivery: DeliveryID
    public let references: [ProviderReferenceBody]

    public init(delivery: DeliveryID, references: [ProviderReferenceBody]) {
        self.delivery = delivery
        self.references = references
    }
}

/// A page of what providers sent, newest first.
public struct ReceiptsBody: Codable, Sendable {
    public let receipts: [ReceiptBody]
    /// What `?cursor=` takes for the next page; nil on the last.
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
    /// What the provider calls the event.
    public let kind: String
    /// What the provider calls the delivery.
    public let references: [String]
    public let state: State
    /// Whether this version knows what the event means.
    public let isKnown: Bool
    public let delivery: DeliveryID?
    public let receivedAt: Date
    /// Of one that is dismissed.
    public let dismissal: Dismissal?
    /// As it was received; for one event alone.
    public let body: String?

    public enum State: String, Codable, CaseIterable, Sendable {
        /// It belongs to a delivery, which was told.
        case applied
        /// No delivery of ours is known by any of its references yet.
        case waiting
        /// It is of the provider's test mode, and changes nothing.
        case quarantined
        /// Its sender was proven, and the body is none of the provider's.
        case unreadable
        /// Somebody decided that nothing more comes of it.
        case dismissed
    }

    /// Who dismissed it, when and why.
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

/// How many events of a webhook were kept; a repeat is none.
public struct ReceivedBody: Codable, Sendable {
    public let received: Int

    public init(received: Int) { self.received = received }
}

/// What a provider is answered that fetches a token, in the form of RFC 6749.
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
