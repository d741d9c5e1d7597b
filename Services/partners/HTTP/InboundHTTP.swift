import DeclaredMetrics
import DeliveryProviders
import DomainTime
import DoorstepAPI
import FlowControl
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore
import ServiceRuntime
import Synchronization

/// The public routes: providers' webhooks, each authenticated and answered in its provider's form.
///
/// The events of an authentic webhook are stored before it is answered, and so is an unreadable body. A repeat is
/// answered in the same way. The answer to an unproven webhook depends on the webhook alone, and never on its source,
/// so that a stranger cannot find sources by trying names.
final class InboundHTTP: Sendable {
    /// Bytes of a webhook.
    static let bodyBytesMax = 256 * 1_024
    /// Webhooks without a valid proof from one address, per second and in a burst; beyond that the answer is 429
    /// instead of 401.
    ///
    /// Valid webhooks of the same address are accepted all the same.
    static let forgeriesPerSecond = 5.0
    static let forgeriesBurst = 200
    /// The unreadable events of a batch that an answer names.
    private static let faultsMax = 50

    private let sources: SourceCache
    private let receive: ReceiveWebhook
    private let clock: DomainClock
    private let logger: Logger
    private let wallNow: @Sendable () -> Date
    private let makeUUID: @Sendable () -> UUID
    private let forgeries = Mutex(
        RateLimiter(perSecond: forgeriesPerSecond, burst: Double(forgeriesBurst), callersMax: 10_000))
    private let elapsed: @Sendable () -> Duration

    private struct Kept: Hashable {
        let provider: DeliveryProvider
        let outcome: String
    }

    private static let repeated = "repeat"
    /// The outcomes of received events.
    private static let outcomes =
        [ReceiptBody.State.applied, .waiting, .quarantined, .unreadable].map(\.rawValue) + [repeated]

    private let kept: MetricHandles<Kept, Counter>
    private let unknown: MetricHandles<DeliveryProvider, Counter>
    private let refused: MetricHandles<Kept, Counter>

    /// - Parameters:
    ///   - wallNow: wall time, by which proofs are old or new.
    ///   - elapsed: wall time since any moment, by which forgeries are counted; since now without one.
    init(
        sources: SourceCache, receive: ReceiveWebhook, clock: DomainClock, metrics: MetricsRegistry, logger: Logger,
        wallNow: @escaping @Sendable () -> Date = { Date() }, makeUUID: @escaping @Sendable () -> UUID = { UUID() },
        elapsed: (@Sendable () -> Duration)? = nil
    ) {
        let start = ContinuousClock.now
        self.elapsed = elapsed ?? { ContinuousClock.now - start }
        self.sources = sources
        self.receive = receive
        self.clock = clock
        self.logger = logger
        self.wallNow = wallNow
        self.makeUUID = makeUUID
        kept = MetricHandles {
            WebhookMetrics.received.counter(
                [("provider", $0.provider.rawValue), ("outcome", $0.outcome)], in: metrics)
        }
        unknown = MetricHandles { WebhookMetrics.unknown.counter([("provider", $0.rawValue)], in: metrics) }
        refused = MetricHandles {
            WebhookMetrics.refused.counter(
                [("provider", $0.provider.rawValue), ("reason", $0.outcome)], in: metrics)
        }
        // Exported with 0: Prometheus counts no increase of a series that appears with 1.
        for provider in DeliveryProvider.allCases {
            for outcome in Self.outcomes { _ = kept[Kept(provider: provider, outcome: outcome)] }
        }
    }

    func addRoutes(to router: Router<AppContext>) {
        router.post("in/{source}", use: receiveWebhook)
        router.get("in/{source}", use: validate)
        router.on("in/{source}", method: .options, use: handshake)
        router.post("in/{source}/token", use: makeToken)
    }

    // MARK: Webhooks

    @Sendable private func receiveWebhook(_ request: Request, _ context: AppContext) async throws -> Response {
        let known = try await knownSource(of: context)
        try refuseEncodings(of: request, from: known)
        let (body, source) = try await body(of: request, from: known, context)
        guard let source else { throw unproven(context) }
        do {
            try source.verify(body, header: { request.header($0) }, now: wallNow())
        } catch {
            refused[Kept(provider: source.provider, outcome: error.reason)].increment()
            logger.debug(
                "A webhook's proof is invalid", metadata: ["source_id": "\(source.id)", "reason": "\(error.reason)"])
            throw unproven(context)
        }
        try refuseOtherForms(of: request, from: source)
        return try await context.withSlot(of: "source \(source.id)") {
            let (receipts, faults) = Receipt.receipts(
                of: body, charset: request.contentType.charset, from: source, receivedAt: clock.now,
                depthMax: bodyDepthMax, isNested: isNested, makeUUID: makeUUID)
            let outcome = try await receive(receipts)
            count(outcome, of: receipts, source)
            if let fault = faults.first {
                logger.warning(
                    "A provider's webhook is authentic but unreadable; it is kept",
                    metadata: ["source_id": "\(source.id)", "reason": "\(fault)"])
                // A sender of CloudEvents reads the answer; the other providers would only repeat the request.
                if source.provider == .cloudEvents { throw Self.problem(of: faults, first: fault) }
            }
            return try jsonResponse(ReceivedBody(received: outcome.kept.values.reduce(0, +)))
        }
    }

    /// The answer that names the unreadable events of a batch by their places, or the fault of the whole webhook.
    private static func problem(of faults: [UnreadableWebhook], first: UnreadableWebhook) -> Problem {
        let places = faults.prefix(faultsMax).compactMap { fault in
            fault.event.map { Problem.FieldError(path: "[\($0)]", message: fault.description) }
        }
        return places.isEmpty ? .malformed(first.description) : .malformed(places)
    }

    /// The source that the path names; nil where there is none.
    private func knownSource(of context: AppContext) async throws -> Source? {
        // A text without an id's form is no source's id either.
        guard let id = try? context.path("source", as: SourceID.self) else { return nil }
        return try await context.withSlot(of: nil) { try await sources(id) }
    }

    /// The text that a provider sends in a handshake, before it can prove anything.
    ///
    /// - Throws: 404 without the text, and where the path names no source of this provider; 429 for an address that
    ///   tries many.
    private func handshakeText(
        _ text: String?, bytesMax: Int, of provider: DeliveryProvider, _ context: AppContext
    ) async throws -> String {
        let source = try await knownSource(of: context)
        if let text, text.utf8.count <= bytesMax, source?.provider == provider { return text }
        let wait = forgeries.withLock { $0.spend(of: context.remoteNetwork, at: elapsed()) }
        throw wait == nil ? Problem.notFound() : Problem.tooManyRequests(retryAfterSeconds: 1)
    }

    /// The body, and the source as it is after the body's end: a secret that was removed meanwhile proves nothing.
    ///
    /// - Parameter source: nil where the path names none: its body is bounded and read as any other.
    private func body(
        of request: Request, from source: Source?, _ context: AppContext
    ) async throws -> (bytes: Data, source: Source?) {
        do {
            let bytes = try await context.bytes(of: request, by: context.caller, maxBytes: Self.bodyBytesMax)
            guard source != nil else { return (bytes, nil) }
            return (bytes, try await knownSource(of: context))
        } catch let problem as Problem where problem.status == .contentTooLarge {
            if let source { refused[Kept(provider: source.provider, outcome: "too_large")].increment() }
            throw problem
        }
    }

    /// Signatures cover the bytes of the body: providers do not encode signed bodies, and no signature covers headers.
    private func refuseEncodings(of request: Request, from source: Source?) throws {
        if let encoding = request.headers[.contentEncoding], encoding.lowercased() != "identity" {
            throw unsupported("send it without Content-Encoding", from: source)
        }
        if request.header("ce-specversion") != nil, !request.contentType.name.hasPrefix("application/cloudevents") {
            throw unsupported(
                "this CloudEvent is in binary mode, with its attributes in headers; send structured or batched mode, "
                    + "with the whole event in the body, as application/cloudevents+json", from: source)
        }
    }

    /// Checks the form of a proven body, for providers that specify one.
    private func refuseOtherForms(of request: Request, from source: Source) throws {
        guard source.provider == .cloudEvents else { return }
        let type = request.contentType
        guard Self.cloudEventTypes.contains(type.name) else {
            throw unsupported("send \(Self.cloudEventTypes.sorted().joined(separator: ", "))", from: source)
        }
        if let charset = type.charset, charset != "utf-8" {
            throw unsupported("the charset must be utf-8", from: source)
        }
    }

    private func unsupported(_ detail: String, from source: Source?) -> Problem {
        if let source { refused[Kept(provider: source.provider, outcome: "unsupported_body")].increment() }
        return Problem(
            .unsupportedMediaType, "unsupported-body", title: "This form of body is not taken", detail: detail)
    }

    private static let cloudEventTypes: Set = [
        "application/cloudevents+json", "application/cloudevents-batch+json", "application/json",
    ]

    /// The refusal, equal for known and unknown sources, whatever is missing or wrong.
    private func unproven(_ context: AppContext) -> Problem {
        let wait = forgeries.withLock { $0.spend(of: context.remoteNetwork, at: elapsed()) }
        if wait != nil { return Problem.tooManyRequests(retryAfterSeconds: 1) }
        return Problem(
            .unauthorized, "forged", title: "The sender is not proven",
            detail: """
                there is no such source, none of its secrets made this proof, or the proof's time is more than five \
                minutes from ours
                """, headers: [.wwwAuthenticate: "Bearer realm=\"doorstep\", Signature realm=\"doorstep\""])
    }

    private func count(_ outcome: ReceiveWebhook.Outcome, of receipts: [Receipt], _ source: Source) {
        for (state, count) in outcome.kept {
            kept[Kept(provider: source.provider, outcome: state.rawValue)].increment(by: count)
        }
        if outcome.repeats > 0 {
            kept[Kept(provider: source.provider, outcome: Self.repeated)].increment(by: outcome.repeats)
        }
        let strange = receipts.count { !$0.isKnown && $0.state != .unreadable }
        if strange > 0, outcome.repeats < receipts.count { unknown[source.provider].increment(by: strange) }
    }

    // MARK: Handshakes

    /// Answers Onfleet's one-time validation request with the text that it sent.
    ///
    /// - Source: docs.onfleet.com/reference/validation.
    @Sendable private func validate(_ request: Request, _ context: AppContext) async throws -> Response {
        let check = try await handshakeText(request.query("check"), bytesMax: 256, of: .onfleet, context)
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store", .noSniff: "nosniff"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: check)))
    }

    /// Answers a CloudEvents sender's request for permission to send.
    ///
    /// - Source: CloudEvents' "HTTP 1.1 Web Hooks for Event Delivery", section 4.
    @Sendable private func handshake(_ request: Request, _ context: AppContext) async throws -> Response {
        let origin = try await handshakeText(
            request.header("webhook-request-origin"), bytesMax: 255, of: .cloudEvents, context)
        return Response(
            status: .ok,
            headers: [
                .allow: "POST, OPTIONS", .contentType: "text/plain; charset=utf-8", .webHookAllowedOrigin: origin,
                .webHookAllowedRate: "*",
                .cacheControl: "no-store",
            ])
    }

    // MARK: Tokens

    /// A token by the grant "client credentials".
    ///
    /// - Source: RFC 6749, sections 2.3.1, 4.4 and 5.
    @Sendable private func makeToken(_ request: Request, _ context: AppContext) async throws -> Response {
        let known = try await knownSource(of: context)
        let (body, present) = try await body(of: request, from: known, context)
        let source = present.flatMap { $0.provider.fetchesTokens ? $0 : nil }
        let form = FormValues(String(decoding: body, as: UTF8.self))
        guard let given = request.basicCredentials ?? form.clientCredentials else {
            return try Self.tokenRefusal("invalid_request", .badRequest)
        }
        let secret = source?.texts.first { text in given.passwords.contains { SecretText.isSame($0, as: text) } }
        guard let source, SecretText.isSame(given.user, as: source.id.rawValue), let secret else {
            if let source { refused[Kept(provider: source.provider, outcome: ForgedWebhook.wrong.reason)].increment() }
            let problem = unproven(context)
            if problem.status == .tooManyRequests { throw problem }
            return try Self.tokenRefusal("invalid_client", .unauthorized)
        }
        guard form.text("grant_type") == "client_credentials" else {
            return try Self.tokenRefusal("unsupported_grant_type", .badRequest)
        }
        return try jsonResponse(
            AccessTokenBody(
                accessToken: SourceToken.make(for: source.id, secret: secret, now: wallNow()),
                expiresIn: SourceToken.lifetimeSeconds))
    }

    private static func tokenRefusal(_ code: String, _ status: HTTPResponse.Status) throws -> Response {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        if status == .unauthorized { headers[.wwwAuthenticate] = "Basic realm=\"doorstep\"" }
        return try jsonResponse(["error": code], status: status, headers: headers)
    }
}

extension HTTPField.Name {
    fileprivate static let noSniff = HTTPField.Name("X-Content-Type-Options")!
    fileprivate static let webHookAllowedOrigin = HTTPField.Name("WebHook-Allowed-Origin")!
    fileprivate static let webHookAllowedRate = HTTPField.Name("WebHook-Allowed-Rate")!
}

extension Request {
    /// A header's value by its name; nil where it is not there.
    fileprivate func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    /// The media type, and the charset that it names, both in lower case.
    fileprivate var contentType: (name: String, charset: String?) {
        let parts = (headers[.contentType] ?? "application/json").lowercased().split(separator: ";")
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let charset = parts.dropFirst().first { $0.hasPrefix("charset=") }
        return (
            parts.first ?? "", charset.map { $0.dropFirst("charset=".count).trimmingCharacters(in: ["\"", "'"]) }
        )
    }

    /// User and password of HTTP Basic; the password percent-decoded, as RFC 6749 demands, and undecoded, as many
    /// clients send it.
    fileprivate var basicCredentials: ClientCredentials? {
        guard let authorization = headers[.authorization], authorization.lowercased().hasPrefix("basic "),
            let data = Data(base64Encoded: String(authorization.dropFirst(6)))
        else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return ClientCredentials(
            user: FormValues.decoded(parts[0]), passwords: [FormValues.decoded(parts[1]), String(parts[1])])
    }
}

/// A client's identity at the token endpoint, and the possible forms of its secret.
private struct ClientCredentials {
    let user: String
    let passwords: [String]
}

extension FormValues {
    fileprivate var clientCredentials: ClientCredentials? {
        guard let user = text("client_id"), let password = text("client_secret") else { return nil }
        return ClientCredentials(user: user, passwords: [password])
    }
}
