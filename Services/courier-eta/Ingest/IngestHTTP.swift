import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import Metrics
import ServiceRuntime
import Synchronization

/// The routes that couriers' phones send positions to, each answered as its app needs it.
///
/// A caller that is known always gets the answer after which its app goes on, whatever the positions are like: on any
/// other an app stops, throws its queue away or sends the same for ever. What is not taken is counted. Only an outage
/// of ours is answered 503, on which every app keeps its queue.
final class IngestHTTP: Sendable {
    /// Bytes of a body: ten times Overland's largest batch.
    static let bodyBytesMax = 8 * 1024 * 1024
    /// Bytes that are read before it is known who sends them; only apps whose credential is in the body need any.
    static let strangerBytesMax = 64 * 1024
    /// Requests of one phone in the long run, and at once: a day's queue of an app that sends one position a request.
    static let phoneRequestsPerSecond = 50.0
    static let phoneBurst = 2_000

    private let clock: DomainClock
    private let callers: IngestCallers
    private let intake: FixIntake
    private let normalise = FixNormaliser()
    private let start = ContinuousClock.now
    private let rates: Mutex<RateLimiter>

    private let metrics: MetricsRegistry

    init(
        clock: DomainClock, callers: IngestCallers, intake: FixIntake, metrics: MetricsRegistry,
        phoneRequestsPerSecond: Double = phoneRequestsPerSecond, phoneBurst: Int = phoneBurst
    ) {
        rates = Mutex(
            RateLimiter(perSecond: phoneRequestsPerSecond, burst: phoneBurst, callersMax: IngestCallers.phonesMax))
        self.clock = clock
        self.metrics = metrics
        self.callers = callers
        self.intake = intake
    }

    func addRoutes(to router: Router<AppContext>) {
        router.post("v1/fixes", use: fixes)
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
                try await self.take(request, context, of: app)
            }
        }
    }

    // MARK: Tracker apps

    private func take(_ request: Request, _ context: AppContext, of app: TrackerApp) async throws -> Response {
        let query = FormValues(request.uri.query ?? "")
        let contentType = request.headers[.contentType]
        var credentials = Self.credentials(of: request, context)
        if app == .osmAnd, let id = query.text("id", "deviceid") { credentials.append(id) }

        var body: Data?
        if credentials.isEmpty, app == .traccar || app == .osmAnd {
            let data = try await request.bytes(maxBytes: Self.strangerBytesMax)
            let id =
                app == .traccar
                ? TraccarRequest.deviceID(in: data)
                : OsmAndRequest.deviceID(query: query, body: data, contentType: contentType)
            if let id { credentials.append(id) }
            body = data
        }
        let caller = try await callers.caller(credentials)
        if body == nil { body = try await Self.body(of: request) }
        guard let body else { return drop([.tooLarge: 1], of: app) }

        let reading = app.read(query: query, body: body, contentType: contentType)
        guard !isOverRate(caller) else {
            return drop([.overRate: max(1, reading.fixes.count + reading.unreadable)], of: app)
        }
        _ = try await take(reading, from: caller, app: app, isOnDutyOnly: true)
        return app.contentAnswer
    }

    private func drop(_ drops: Drops, of app: TrackerApp) -> Response {
        count(TakeFixes.Outcome(accepted: 0, ignored: drops), of: app)
        return app.contentAnswer
    }

    /// A profile that makes GPSLogger send here, for the link that enrolment prints.
    @Sendable private func profile(_ request: Request, _ context: AppContext) async throws -> Response {
        let token = try context.path("token")
        _ = try await callers.caller([token])
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

    /// A body that is none is the caller's fault and told so; a fix that is none is counted, as with any app.
    @Sendable private func fixes(_ request: Request, _ context: AppContext) async throws -> Response {
        let caller = try await callers.caller(Self.credentials(of: request, context))
        if isOverRate(caller) { throw Problem.tooManyRequests(retryAfterSeconds: 1) }
        let body: FixesBody = try await request.decode(maxBytes: Self.bodyBytesMax)
        // A courier's own token is a session of theirs, and sending with it says that they work.
        let outcome = try await take(
            FixesRequest.reading(of: body), from: caller, app: .doorstep, isOnDutyOnly: caller.phone != .own)
        return try jsonResponse(
            FixesAnswer(
                accepted: outcome.accepted,
                ignored: Dictionary(uniqueKeysWithValues: outcome.ignored.map { ($0.key.rawValue, $0.value) })))
    }

    // MARK: Both

    private func take(
        _ reading: TrackerApp.Reading, from caller: IngestCallers.Caller, app: TrackerApp, isOnDutyOnly: Bool
    ) async throws -> TakeFixes.Outcome {
        let normal = normalise(reading, receivedAt: clock.now)
        var outcome = TakeFixes.Outcome()
        if !normal.fixes.isEmpty || caller.notesHearing {
            outcome = try await intake(
                TakeFixes.Heard(
                    courier: caller.courier, phone: caller.phone, fixes: normal.fixes, isOnDutyOnly: isOnDutyOnly,
                    notesHearing: caller.notesHearing, traceHeaders: traceHeaders()))
        }
        outcome.ignored.merge(normal.dropped, uniquingKeysWith: +)
        count(outcome, of: app)
        return outcome
    }

    private func isOverRate(_ caller: IngestCallers.Caller) -> Bool {
        let now = ContinuousClock.now - start
        return rates.withLock { $0.take("\(caller.courier) \(caller.phone.rawValue)", at: now) } != nil
    }

    private func count(_ outcome: TakeFixes.Outcome, of app: TrackerApp) {
        if outcome.accepted > 0 {
            Counter(label: "fixes_accepted_total", dimensions: [("app", app.rawValue)], factory: metrics)
                .increment(by: outcome.accepted)
        }
        for (reason, count) in outcome.ignored {
            Counter(
                label: "fixes_ignored_total", dimensions: [("app", app.rawValue), ("reason", reason.rawValue)],
                factory: metrics
            ).increment(by: count)
        }
    }

    /// What header and path carry; a header of another form is no credential.
    private static func credentials(of request: Request, _ context: AppContext) -> [String] {
        let header = (try? request.headers.token()) ?? nil
        return [context.parameters.get("token"), header].compactMap { $0 }.filter { !$0.isEmpty }
    }

    /// The whole body; nil when it exceeds what any app sends.
    private static func body(of request: Request) async throws -> Data? {
        do {
            return try await request.bytes(maxBytes: bodyBytesMax)
        } catch let problem as Problem where problem.status == .contentTooLarge {
            return nil
        }
    }
}
