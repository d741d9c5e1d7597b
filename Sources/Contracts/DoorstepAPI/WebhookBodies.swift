public import Foundation
public import OrderDomain

/// The id of an endpoint for events.
public struct EndpointID: Identifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard isIdentifier(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// The id of an event, and the header `webhook-id` of every attempt to deliver it.
public struct EventID: Identifier {
    public let rawValue: String

    public init?(rawValue: String) {
        guard isIdentifier(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// The request body of `POST /v1/webhooks`: an endpoint and its subscription.
public struct NewEndpointBody: Codable, Sendable {
    /// `https`, with a host that is public.
    public var url: String
    /// Nil or empty for every event, those of later versions too.
    public var events: [WebhookEventType]?
    /// The store whose deliveries' events are sent; nil for every store that the caller sees.
    public var store: StoreID?
    /// A description for people, 1 to 120 characters.
    public var description: String?
    /// `v1` by default.
    public var signature: SignatureVersion?

    public init(
        url: String, events: [WebhookEventType]? = nil, store: StoreID? = nil, description: String? = nil,
        signature: SignatureVersion? = nil
    ) {
        self.url = url
        self.events = events
        self.store = store
        self.description = description
        self.signature = signature
    }

    /// The signature schemes of Standard Webhooks.
    public enum SignatureVersion: String, Codable, CaseIterable, Sendable {
        /// HMAC-SHA-256 with a secret that both sides have.
        case symmetric = "v1"
        /// ed25519: the receiver has a public key alone.
        case asymmetric = "v1a"
    }
}

/// The request body of `PATCH /v1/webhooks/{id}`; absent properties stay unchanged.
public struct ChangedEndpointBody: Codable, Sendable {
    public var url: String?
    public var events: [WebhookEventType]?
    /// Null removes it; no other property may be null.
    public var description: TextChange?
    /// True has events sent again, from the oldest that waits; false has them wait.
    public var enabled: Bool?

    public init(
        url: String? = nil, events: [WebhookEventType]? = nil, description: TextChange? = nil, enabled: Bool? = nil
    ) {
        self.url = url
        self.events = events
        self.description = description
        self.enabled = enabled
    }

    private enum CodingKeys: String, CodingKey { case url, events, description, enabled }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = container.contains(.url) ? try container.decode(String.self, forKey: .url) : nil
        events = container.contains(.events) ? try container.decode([WebhookEventType].self, forKey: .events) : nil
        description = try container.textChange(.description)
        enabled = container.contains(.enabled) ? try container.decode(Bool.self, forKey: .enabled) : nil
    }
}

/// An address that receives events, and its health.
public struct EndpointBody: Codable, Sendable {
    public let id: EndpointID
    public let url: String
    /// Empty for every event.
    public let events: [WebhookEventType]
    public let store: StoreID?
    public let description: String?
    public let signature: NewEndpointBody.SignatureVersion
    /// `enabled`, `failing` while attempts fail, or `disabled`.
    public let state: State
    /// Why it is disabled: `gone`, `failing` or `asked`; absent while it is not.
    public let disabledReason: String?
    public let failingSince: Date?
    /// The end of a pause, which the receiver demanded or failures caused.
    public let pausedUntil: Date?
    /// Unsent events; 100,000 means as many or more.
    public let waiting: Int
    public let createdAt: Date
    /// `whsec_…`, or `whpk_…` of the public half; only in the answer to the request that made the secret.
    public let secret: String?
    /// The time until which the former secret signs too; nil without one.
    public let formerSecretUntil: Date?

    public enum State: String, Codable, CaseIterable, Sendable {
        case enabled, failing, disabled
    }

    public init(
        id: EndpointID, url: String, events: [WebhookEventType], store: StoreID?, description: String?,
        signature: NewEndpointBody.SignatureVersion, state: State, disabledReason: String?, failingSince: Date?,
        pausedUntil: Date?, waiting: Int, createdAt: Date, secret: String? = nil, formerSecretUntil: Date? = nil
    ) {
        self.id = id
        self.url = url
        self.events = events
        self.store = store
        self.description = description
        self.signature = signature
        self.state = state
        self.disabledReason = disabledReason
        self.failingSince = failingSince
        self.pausedUntil = pausedUntil
        self.waiting = waiting
        self.createdAt = createdAt
        self.secret = secret
        self.formerSecretUntil = formerSecretUntil
    }
}

/// The addresses that the caller may see, oldest first.
public struct EndpointsBody: Codable, Sendable {
    public let endpoints: [EndpointBody]

    public init(endpoints: [EndpointBody]) { self.endpoints = endpoints }
}

/// The request body of `POST /v1/webhooks/{id}/replay`: one event, or a period of events.
public struct ReplayBody: Codable, Sendable {
    public var event: EventID?
    public var from: Date?
    public var to: Date?

    public init(event: EventID? = nil, from: Date? = nil, to: Date? = nil) {
        self.event = event
        self.from = from
        self.to = to
    }
}

/// The request body of `POST /v1/webhook-events`: a synthetic event to test receivers.
public struct TriggerBody: Codable, Sendable {
    public var type: WebhookEventType
    /// Nil for every endpoint of the caller that subscribes to such events.
    public var endpoint: EndpointID?

    public init(type: WebhookEventType, endpoint: EndpointID? = nil) {
        self.type = type
        self.endpoint = endpoint
    }
}

/// The number of queued events.
public struct QueuedBody: Codable, Sendable {
    public let queued: Int

    public init(queued: Int) { self.queued = queued }
}

/// A page of the events of an address, newest first.
public struct EventDeliveriesBody: Codable, Sendable {
    public let deliveries: [EventDeliveryBody]
    /// The value of `?cursor=` for the next page; nil on the last.
    public let next: String?

    public init(deliveries: [EventDeliveryBody], next: String?) {
        self.deliveries = deliveries
        self.next = next
    }
}

/// One event on its way to one address.
public struct EventDeliveryBody: Codable, Sendable {
    public let event: EventID
    public let type: WebhookEventType
    public let delivery: DeliveryID?
    public let state: State
    public let isReplay: Bool
    /// Attempts made so far.
    public let attempts: Int
    public let createdAt: Date
    /// When it is tried next; absent once it is settled.
    public let nextAttemptAt: Date?
    /// The HTTP status of the newest attempt; nil where the receiver did not answer.
    public let lastStatus: Int?
    /// Why the newest attempt got no answer.
    public let lastError: String?
    /// Each attempt with its answer, oldest first; for one event alone.
    public let log: [AttemptBody]?
    /// The body as it is sent; for one event alone.
    public let body: String?

    public enum State: String, Codable, CaseIterable, Sendable {
        case waiting, delivered, failed
    }

    public init(
        event: EventID, type: WebhookEventType, delivery: DeliveryID?, state: State, isReplay: Bool, attempts: Int,
        createdAt: Date, nextAttemptAt: Date?, lastStatus: Int?, lastError: String?, log: [AttemptBody]? = nil,
        body: String? = nil
    ) {
        self.event = event
        self.type = type
        self.delivery = delivery
        self.state = state
        self.isReplay = isReplay
        self.attempts = attempts
        self.createdAt = createdAt
        self.nextAttemptAt = nextAttemptAt
        self.lastStatus = lastStatus
        self.lastError = lastError
        self.log = log
        self.body = body
    }
}

/// One attempt to deliver an event.
public struct AttemptBody: Codable, Hashable, Sendable {
    public let at: Date
    public let milliseconds: Int
    public let status: Int?
    public let error: String?
    /// The first kilobyte of the answer.
    public let answer: String?

    public init(at: Date, milliseconds: Int, status: Int?, error: String?, answer: String?) {
        self.at = at
        self.milliseconds = milliseconds
        self.status = status
        self.error = error
        self.answer = answer
    }
}

/// The first event of `GET /v1/webhook-events/stream`.
public struct ListenReadyBody: Codable, Hashable, Sendable {
    /// The secret that signs this stream's events.
    public let secret: String
    /// The id by which another stream continues this one; nil from a version without continuations.
    public let listener: EndpointID?

    public init(secret: String, listener: EndpointID? = nil) {
        self.secret = secret
        self.listener = listener
    }
}

/// An event of `GET /v1/webhook-events/stream`: the webhook for a program without a public address.
public struct ForwardedEventBody: Codable, Sendable {
    /// `webhook-id`, `webhook-timestamp` and `webhook-signature`.
    public let headers: [String: String]
    /// The body to post byte for byte, since the signature covers it.
    public let body: String

    public init(headers: [String: String], body: String) {
        self.headers = headers
        self.body = body
    }
}
