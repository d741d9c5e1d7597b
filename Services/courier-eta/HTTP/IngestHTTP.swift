import DeclaredMetrics
import DomainTime
import DoorstepAPI
import FlowControl
import Foundation
import HTTPTypes
import Hummingbird
import Metrics
import PostgresClient
import ServiceRuntime
import Synchronization

/// The ingest routes for couriers' phones, each with the response that its app needs.
///
/// An authenticated caller always gets the response after which its app continues, even for invalid positions: after
/// any other response an app stops, discards its queue or repeats the request indefinitely. Ignored fixes are counted.
/// Where the service fails, is overloaded, or a body comes too slowly it answers 503, on which every app keeps its queue.
final class IngestHTTP: Sendable {
    /// Bytes of a body: several of Overland's largest batches.
    static let bodyBytesMax = 1024 * 1024
    /// Bytes that are read before authentication; only apps with their credential in the body need any.
    static let unauthenticatedBytesMax = 64 * 1024
    /// Sustained rate and burst of one phone's requests: a day's backlog of an app that sends one position a request.
    static let phoneRequestsPerSecond = 50.0
    static let phoneBurst = 2_000
    /// Sustained rate and burst of one phone's kibibytes: a long tour's backlog, batch after batch.
    static let phoneKibibytesPerSecond = 256.0
    static let phoneKibibytesBurst = 4_096

    private let clock: DomainClock
    private let authenticator: IngestAuthenticator
    private let ingest: IngestFixes.GroupCommit
    private let normalise = FixNormaliser()
    private let pagesOrigin: String?
    private let elapsed: @Sendable () -> Duration
    private let rates: Mutex<RateLimiter>
    private let byteRates: Mutex<RateLimiter>

    private struct Ignored: Hashable {
        let app: TrackerApp
        let reason: DropReason
    }

    private let accepted: MetricHandles<TrackerApp, Counter>
    private let ignored: MetricHandles<Ignored, Counter>

    /// - Parameters:
    ///   - pagesOrigin: of couriers' pages, such as `https://go.nordhavn.example`; nil where none sends positions.
    ///   - elapsed: wall time since any moment, by which phones are paced; since now without one.
    init(
        clock: DomainClock, authenticator: IngestAuthenticator, ingest: IngestFixes.GroupCommit,
        metrics: MetricsRegistry, pagesOrigin: String? = nil,
        phoneBurst: Int = phoneBurst, elapsed: (@Sendable () -> Duration)? = nil
    ) {
        let start = ContinuousClock.now
        self.elapsed = elapsed ?? { ContinuousClock.now - start }
        rates = Mutex(
            RateLimiter(
                perSecond: Self.phoneRequestsPerSecond, burst: Double(phoneBurst),
                callersMax: PhoneCache.phonesMax))
        byteRates = Mutex(
            RateLimiter(
                perSecond: Self.phoneKibibytesPerSecond, burst: Double(Self.phoneKibibytesBurst),
                callersMax: PhoneCache.phonesMax))
        self.pagesOrigin = pagesOrigin
        self.clock = clock
        accepted = MetricHandles { CourierETAMetrics.fixesAccepted.counter([("app", $0.rawValue)], in: metrics) }
        ignored = MetricHandles {
            CourierETAMetrics.fixesIgnored.counter(
                [("app", $0.app.rawValue), ("reason", $0.reason.rawValue)], in: metrics)
        }
        self.authenticator = authenticator
        self.ingest = ingest
    }

    func addRoutes(to router: Router<AppContext>) {
        let fixes = router.group("v1/fixes").add(middleware: PageOriginMiddleware(origin: pagesOrigin))
        fixes.post(use: self.fixes)
        fixes.on("", method: .options, use: PageOriginMiddleware.preflight)
        add(.ownTracks, .post, ["ingest/owntracks"], to: router)
        add(.overland, .post, ["ingest/overland"], to: router)
        add(.traccar, .post, ["ingest/traccar", "ingest/traccar/{token}"], to: router)
        add(.osmAnd, .post, ["ingest/osmand", "ingest/osmand/{token}"], to: router)
        add(.osmAnd, .get, ["ingest/osmand", "ingest/osmand/{token}"], to: router)
        add(.gpsLogger, .post, ["ingest/gpslogger", "ingest/gpslogger/{token}"], to: router)
        add(.gpsLogger, .get, ["ingest/gpslogger/{token}"], to: router)
        router.get("ingest/gpslogger/{token}/doorstep.properties", use: profile)
    }

    private func add(
        _ app: TrackerApp, _ method: HTTPRequest.Method, _ paths: [String], to router: Router<AppContext>
    ) {
        for path in paths {
            router.on(RouterPath(path), method: method) { request, context in
                do {
                    return try await self.ingest(request, context, of: app)
                } catch let problem as Problem
                    where problem.status == .requestTimeout || problem.status == .tooManyRequests
                {
                    // The one refusal on which every app keeps its queue.
                    throw Problem.unavailable(
                        "the request came too slowly, or too many at once", retryAfterSeconds: 5)
                }
            }
        }
    }

    // MARK: Tracker apps

    private func ingest(_ request: Request, _ context: AppContext, of app: TrackerApp) async throws -> Response {
        let query = FormValues(request.uri.query ?? "")
        let sender = try await sender(of: request, query, context, app)
        let caller = sender.caller
        var body = sender.body
        if body == nil { body = try await Self.body(of: request, from: caller, context) }
        guard let body else { return try await drop(.tooLarge, from: caller, app: app) }
        // Counted as one for any content: the limits spare the decoding.
        guard !isOverRate(caller), !isOverByteRate(caller, body) else {
            return try await drop(.overRate, from: caller, app: app)
        }
        return try await context.withSlot(of: caller.name) {
            let reading = try await decodingThreads.run(bytes: body.count) {
                isNested(deeperThan: bodyDepthMax, body)
                    ? .garbage : app.read(query: query, body: body)
            }
            _ = try await ingest(
                normalise(reading, receivedAt: clock.now), from: caller, app: app, isOnDutyOnly: true)
            return app.contentAnswer
        }
    }

    /// The caller, and the body where it was read: of apps that may send their id in it, without another valid
    /// credential.
    private func sender(
        of request: Request, _ query: FormValues, _ context: AppContext, _ app: TrackerApp
    ) async throws -> (caller: IngestAuthenticator.Caller, body: Data?) {
        var credentials = Self.credentials(of: request, context)
        guard app == .traccar || app == .osmAnd else { return (try await authenticate(credentials, context), nil) }
        if let id = query.text("id", "deviceid") { credentials.append(id) }
        let known = credentials
        if let caller = try await context.withSlot(of: nil, { try await authenticator.validCaller(known) }) {
            return (caller, nil)
        }
        var body = Data()
        do {
            body = try await context.bytes(
                of: request, by: context.caller, maxBytes: Self.unauthenticatedBytesMax)
        } catch let problem as Problem where problem.status == .contentTooLarge && !known.isEmpty {
            // A body of this size is not searched for an id: the request is refused for the credentials that it has.
        }
        if let id = OsmAndRequest.deviceID(in: body) { credentials.append(id) }
        return (try await authenticate(credentials, context), body)
    }

    /// Authenticates a caller within a slot and releases the slot: the body may be slow.
    private func authenticate(
        _ credentials: [String], _ context: AppContext
    ) async throws -> IngestAuthenticator.Caller {
        try await context.withSlot(of: nil) { try await authenticator.caller(credentials) }
    }

    /// Counts a body that is not read; the phone was seen all the same.
    private func drop(
        _ reason: DropReason, from caller: IngestAuthenticator.Caller, app: TrackerApp
    ) async throws -> Response {
        _ = try await ingest(
            FixNormaliser.Result(dropped: [reason: 1]), from: caller, app: app, isOnDutyOnly: true)
        return app.contentAnswer
    }

    /// A profile that makes GPSLogger send here, for the address that enrolment prints.
    @Sendable private func profile(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("token")
        _ = try await authenticate([token], context)
        guard let host = request.head.authority, !host.isEmpty else {
            throw Problem.malformed("header Host", "is missing")
        }
        let isSecure = request.headers[HTTPField.Name("X-Forwarded-Proto")!] == "https"
        let address = "\(isSecure ? "https" : "http")://\(host)/ingest/gpslogger/\(token)"
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: GPSLoggerProfile(address: address).text)))
    }

    // MARK: Our own batch

    private static let dropReasons: [HTTPResponse.Status: DropReason] = [
        .badRequest: .malformed, .contentTooLarge: .tooLarge, .tooManyRequests: .overRate,
    ]

    /// A refusal by 400, 413 or 429 is counted, as with any app.
    @Sendable private func fixes(_ request: Request, _ context: AppContext) async throws -> Response {
        let caller = try await authenticate(Self.credentials(of: request, context), context)
        do {
            return try await batch(request, context, from: caller)
        } catch let problem as Problem {
            if let reason = Self.dropReasons[problem.status] {
                _ = try await drop(reason, from: caller, app: .doorstep)
            }
            throw problem
        }
    }

    private func batch(
        _ request: Request, _ context: AppContext, from caller: IngestAuthenticator.Caller
    ) async throws -> Response {
        if isOverRate(caller) { throw Problem.tooManyRequests(retryAfterSeconds: 1) }
        let data = try await context.bytes(of: request, by: caller.name, maxBytes: Self.bodyBytesMax)
        if isOverByteRate(caller, data) { throw Problem.tooManyRequests(retryAfterSeconds: 1) }
        return try await context.withSlot(of: caller.name) {
            let body = try await Request.decode(FixesBody.self, from: data)
            // A courier's own token is a session of theirs: sending with it counts as duty.
            let outcome = try await ingest(
                normalise(FixesRequest.reading(of: body), receivedAt: clock.now), from: caller, app: .doorstep,
                isOnDutyOnly: caller.phone != .own)
            return try jsonResponse(
                FixesAnswer(
                    accepted: outcome.accepted,
                    ignored: Dictionary(uniqueKeysWithValues: outcome.ignored.map { ($0.key.rawValue, $0.value) })))
        }
    }

    // MARK: Both

    private func ingest(
        _ normal: FixNormaliser.Result, from caller: IngestAuthenticator.Caller, app: TrackerApp, isOnDutyOnly: Bool
    ) async throws -> IngestFixes.Outcome {
        let phones = authenticator.phones
        let malformed = normal.dropped[.malformed] ?? 0
        let heartbeat = phones.beginHeartbeat(of: caller.phone)
        var outcome = IngestFixes.Outcome()
        do {
            if !normal.fixes.isEmpty || heartbeat != nil {
                outcome = try await ingest(
                    FixBatch(
                        courier: caller.courier, phone: caller.phone, fixes: normal.fixes, isOnDutyOnly: isOnDutyOnly,
                        recordsHeartbeat: heartbeat != nil, malformed: heartbeat.map { $0 + malformed } ?? 0,
                        traceHeaders: traceHeaders()))
            }
        } catch {
            // This request's own are counted when the app repeats it.
            if let heartbeat { phones.undoHeartbeat(of: caller.phone, malformed: heartbeat) }
            throw error
        }
        if heartbeat == nil { phones.countMalformed(malformed, of: caller.phone) }
        outcome.ignored.merge(normal.dropped, uniquingKeysWith: +)
        count(outcome, of: app)
        return outcome
    }

    private func isOverRate(_ caller: IngestAuthenticator.Caller) -> Bool {
        rates.withLock { $0.spend(of: caller.name, at: elapsed()) } != nil
    }

    private func isOverByteRate(_ caller: IngestAuthenticator.Caller, _ body: Data) -> Bool {
        let kibibytes = Double(body.count) / 1_024
        return byteRates.withLock { $0.spend(kibibytes, of: caller.name, at: elapsed()) != nil }
    }

    private func count(_ outcome: IngestFixes.Outcome, of app: TrackerApp) {
        if outcome.accepted > 0 { accepted[app].increment(by: outcome.accepted) }
        for (reason, count) in outcome.ignored { ignored[Ignored(app: app, reason: reason)].increment(by: count) }
    }

    /// The credentials in header and path; a malformed header is no credential.
    private static func credentials(of request: Request, _ context: AppContext) -> [String] {
        // A malformed header proves no identity, and the request is refused without credentials.
        let header = (try? request.headers.token()) ?? nil
        return [context.parameters.get("token"), header].compactMap { $0 }.filter { !$0.isEmpty }
    }

    /// The whole body; nil when it exceeds the limit.
    private static func body(
        of request: Request, from caller: IngestAuthenticator.Caller, _ context: AppContext
    ) async throws -> Data? {
        do {
            return try await context.bytes(of: request, by: caller.name, maxBytes: bodyBytesMax)
        } catch let problem as Problem where problem.status == .contentTooLarge {
            return nil
        }
    }
}
