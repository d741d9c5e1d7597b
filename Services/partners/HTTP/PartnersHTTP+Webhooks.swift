import DoorstepAPI
import Foundation
import Hummingbird
import OrderDomain
import ServiceRuntime

/// Endpoints, the log of their events, and sending events once more.
extension PartnersHTTP {
    @Sendable func listEndpoints(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context)
        let all = try await endpoints.endpoints(within: scope)
        return try jsonResponse(EndpointsBody(endpoints: all.map { EndpointBody($0.endpoint, waiting: $0.waiting) }))
    }

    @Sendable func addEndpoint(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context, as: .supervisor)
        let body = try await request.decode(as: NewEndpointBody.self) { Self.check($0.description, &$1) }
        let store = try store(body.store, within: scope)
        let (endpoint, secret) = try await endpoints.add(body, store: store)
        return try jsonResponse(EndpointBody(endpoint, waiting: 0, secret: secret), status: .created)
    }

    private static let descriptionCharactersMax = 120

    private static func check(_ description: String?, _ check: inout BodyCheck) {
        if let description { check.plainText(description, "description", charactersMax: descriptionCharactersMax) }
    }

    @Sendable func showEndpoint(_ request: Request, _ context: AppContext) async throws -> Response {
        try await response(try await endpoint(context))
    }

    @Sendable func changeEndpoint(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context, as: .supervisor)
        let id = try context.path("id", as: EndpointID.self)
        let body = try await request.decode(as: ChangedEndpointBody.self) { Self.check($0.description?.value, &$1) }
        return try await response(try await endpoints.change(id, body, within: scope))
    }

    @Sendable func deleteEndpoint(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context, as: .supervisor)
        let id = try context.path("id", as: EndpointID.self)
        try await endpoints.remove(id, within: scope)
        return Response(status: .noContent)
    }

    @Sendable func rotateSecret(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context, as: .supervisor)
        let id = try context.path("id", as: EndpointID.self)
        let (endpoint, secret, until) = try await endpoints.rotate(id, within: scope)
        let waiting = try await endpoints.queue(of: endpoint).waiting
        return try jsonResponse(EndpointBody(endpoint, waiting: waiting, secret: secret, formerSecretUntil: until))
    }

    /// The endpoint of the path, as far as the caller may see it.
    private func endpoint(_ context: AppContext, as needed: OperatorScope = .viewer) async throws -> Endpoint {
        let scope = try scope(of: context, as: needed)
        let id = try context.path("id", as: EndpointID.self)
        return try await endpoints.endpoint(id, within: scope)
    }

    private func response(_ endpoint: Endpoint) async throws -> Response {
        let (waiting, until) = try await endpoints.queue(of: endpoint)
        return try jsonResponse(EndpointBody(endpoint, waiting: waiting, formerSecretUntil: until))
    }

    // MARK: The log

    @Sendable func listDeliveries(_ request: Request, _ context: AppContext) async throws -> Response {
        let endpoint = try await endpoint(context)
        let state = try request.query("state", as: EventDeliveryBody.State.self)
        let cursor = try request.query("cursor").map { text in
            guard let id = Int(text), id > 0 else { throw Problem.malformed("query cursor", "is not one of ours") }
            return id
        }
        return try jsonResponse(try await readEventLog(of: endpoint, in: state, after: cursor))
    }

    @Sendable func showDelivery(_ request: Request, _ context: AppContext) async throws -> Response {
        let endpoint = try await endpoint(context)
        let event = try context.path("event", as: EventID.self)
        guard let delivery = try await readEventLog.event(event, of: endpoint) else {
            throw Problem.notFound("no event \(event) for this endpoint")
        }
        return try jsonResponse(delivery)
    }

    // MARK: Once more

    @Sendable func replay(_ request: Request, _ context: AppContext) async throws -> Response {
        let endpoint = try await endpoint(context, as: .supervisor)
        let body = try await request.decode(as: ReplayBody.self) { body, check in
            let isOneEvent = body.event != nil && body.from == nil && body.to == nil
            let isTime = body.event == nil && body.from != nil && body.to != nil
            check.require(isOneEvent || isTime, "", "must have either event, or from and to")
            if let from = body.from, let to = body.to {
                check.require(from < to, "to", "must be after from", reading: ["from"])
                check.require(
                    to.timeIntervalSince(from) <= RepeatEvents.daysMax * 86_400, "to",
                    "must be at most \(Int(RepeatEvents.daysMax)) days after from", reading: ["from"])
            }
        }
        var queued = 0
        if let event = body.event {
            queued = try await repeatEvents.replay(event, to: endpoint)
        } else if let from = body.from, let to = body.to {
            queued = try await repeatEvents.replay(from: from, to: to, for: endpoint)
        }
        return try jsonResponse(QueuedBody(queued: queued), status: .accepted)
    }

    @Sendable func trigger(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context, as: .supervisor)
        let body = try await request.decode(as: TriggerBody.self)
        var endpoint: Endpoint?
        if let id = body.endpoint { endpoint = try await endpoints.endpoint(id, within: scope) }
        let queued = try await repeatEvents.trigger(body.type, to: endpoint, within: scope)
        return try jsonResponse(QueuedBody(queued: queued), status: .accepted)
    }

    @Sendable func listen(_ request: Request, _ context: AppContext) async throws -> Response {
        let scope = try scope(of: context, as: .dispatcher)
        let store = try store(try request.query("store", as: StoreID.self), within: scope)
        let types = try (request.query("events") ?? "").split(separator: ",").map { text in
            guard let type = WebhookEventType(rawValue: String(text)) else {
                throw Problem.malformed(
                    "query events", "\(text) is no event", allowed: WebhookEventType.all.map(\.rawValue))
            }
            return type
        }
        let last = try request.query("after", as: EventID.self)
        let former = try request.query("listener", as: EndpointID.self).map {
            FollowEvents.Former(listener: $0, last: last)
        }
        guard former != nil || last == nil else { throw Problem.malformed("query after", "must come with listener") }
        guard
            let following = try await followEvents.open(
                types, of: store, for: context.caller, continuing: former)
        else { throw Problem.tooManyRequests(retryAfterSeconds: 5) }
        return sseResponse(
            ListenStream(following, followEvents, wallNow: wallNow, note: context.noteStreamed),
            on: following.slot.signal, in: context,
            isAllowed: isAllowed(context))
    }

    /// Whether the caller's token is still valid.
    private func isAllowed(_ context: AppContext) -> @Sendable () -> Bool {
        let (identity, isRevoked, wallNow) = (context.identity, context.isTokenRevoked, wallNow)
        return { !isRevoked() && (identity.map { $0.expiresAt > wallNow() } ?? false) }
    }
}

extension EndpointBody {
    init(_ endpoint: Endpoint, waiting: Int, secret: String? = nil, formerSecretUntil: Date? = nil) {
        let health = endpoint.health
        self.init(
            id: endpoint.id, url: endpoint.url, events: endpoint.types, store: endpoint.store,
            description: endpoint.description, signature: endpoint.signature,
            state: health.disabled != nil ? .disabled : health.failingSince != nil ? .failing : .enabled,
            disabledReason: health.disabled?.rawValue, failingSince: health.failingSince,
            pausedUntil: health.pausedUntil, waiting: waiting, createdAt: endpoint.createdAt, secret: secret,
            formerSecretUntil: formerSecretUntil)
    }
}

extension ManageEndpoints.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notFound(let id): .notFound("no webhook \(id)")
        case .tooMany:
            .unprocessable(
                "there are \(Endpoint.endpointsMax) already; remove one that is not needed",
                slug: "too-many-endpoints")
        case .badURL(let fault): .malformed("url", "\(fault)")
        }
    }
}

extension FollowEvents.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notKept(let listener):
            .malformed(
                "query listener",
                "\(listener) is no stream of the same events and store that can be continued after that event; "
                    + "open one without listener and after")
        }
    }
}

extension RepeatEvents.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .noSuchEvent(let id): .notFound("no event \(id) for this endpoint")
        case .tooMany:
            .unprocessable(
                "more than \(RepeatEvents.eventsMax) events happened in that time; ask for a shorter one",
                slug: "too-many-events")
        }
    }
}
