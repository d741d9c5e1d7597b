import EmulatorAPI
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOFoundationCompat

/// The operator's routes, plain HTTP on loopback: phones, faults, limits, connections, clock and keys.
struct ControlHTTP: Sendable {
    static let bodyBytesMax = 1 << 20

    /// The interval in which a stream repeats its last event, so that both sides detect a lost connection.
    static let heartbeat = Duration.seconds(15)
    /// The most pushes in an event of a stream.
    static let streamedPushes = 8

    let service: PushService
    let fleet: PhoneFleet
    /// The URL at which apps register, for phones that name no other.
    var serviceURL: String?
    /// The accepted host names of requests, besides loopback's.
    var names: Set<String> = []

    var router: Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: ProblemsMiddleware())
        router.add(middleware: PagesRefusedMiddleware(names: names))
        router.get("health/live") { _, _ in try Self.json(["status": "live"]) }
        router.get("health/ready") { _, _ in try Self.json(["status": "ready"]) }
        router.get("phones") { _, _ in try Self.json(PhonesBody(phones: fleet.ids)) }
        router.post("phones", use: addPhone)
        router.get("phones/{id}") { request, context in
            let log: EmulatedPhoneBody.Log = request.uri.queryParameters["pushes"] == "false" ? .none : .all
            return try Self.json(body(try fleet.phone(try context.parameters.require("id")), log: log))
        }
        router.delete("phones/{id}") { _, context in
            try fleet.remove(try context.parameters.require("id"))
            return Response(status: .noContent)
        }
        router.post("phones/{id}/actions") { request, context in
            let action = try await Self.decode(PhoneActionBody.self, request)
            let phone = try fleet.change(try context.parameters.require("id")) { action.apply(to: &$0, at: $1) }
            return try Self.json(body(phone, log: .none))
        }
        router.get("phones/{id}/stream") { _, context in try stream(try context.parameters.require("id")) }
        addServiceRoutes(to: router)
        return router
    }

    private func addServiceRoutes(to router: Router<BasicRequestContext>) {
        router.get("faults") { _, _ in try Self.json(FaultsBody(faults: service.faults)) }
        router.post("faults") { request, _ in
            let fault = try await Self.decode(Fault.self, request)
            if let complaint = fault.complaint { throw ControlProblem(.badRequest, complaint) }
            guard service.add(fault) else {
                throw ControlProblem(.conflict, "there are \(FaultScript.faultsMax) faults; remove them first")
            }
            return try Self.json(fault, status: .created)
        }
        router.delete("faults") { _, _ in
            service.removeFaults()
            return Response(status: .noContent)
        }
        router.get("limits") { _, _ in try Self.json(service.limits) }
        router.put("limits") { request, _ in
            let limits = try await Self.decode(PushService.StreamLimits.self, request)
            guard (0...100_000).contains(limits.streams), (0...100_000).contains(limits.beforeAuthentication) else {
                throw ControlProblem(.badRequest, "streams and beforeAuthentication: are 0 to 100000")
            }
            service.limits = limits
            return try Self.json(limits)
        }
        router.get("connections") { _, _ in
            try Self.json(StatisticsBody(connections: service.connectionsCount, statistics: service.statistics))
        }
        router.post("connections") { request, _ in
            let body = try await Self.decode(ConnectionsBody.self, request)
            switch body.action {
            case .goAway: service.goAway(reason: body.reason ?? RefusalReason.shutdown.rawValue)
            case .close: service.closeConnections()
            }
            return Response(status: .noContent)
        }
        router.get("clock") { _, _ in try Self.json(clock) }
        router.post("clock") { request, _ in
            let body = try await Self.decode(ClockBody.self, request)
            if let rate = body.rate, !(0...100_000).contains(rate) {
                throw ControlProblem(.badRequest, "rate: is not 0 to 100000")
            }
            guard fleet.clock.set(now: body.now, rate: body.rate, serviceSkewSeconds: body.serviceSkewSeconds) else {
                throw ControlProblem(.conflict, "now: the phones' time never goes back; it is \(fleet.clock.now)")
            }
            fleet.tick()
            return try Self.json(clock)
        }
        router.get("keys") { _, _ in try Self.json(service.keys.map(\.keyID)) }
        router.post("keys") { request, _ in
            guard let key = try await Self.decode(KeyBody.self, request).key else {
                throw ControlProblem(.badRequest, "publicKey: is no P-256 key in PEM")
            }
            service.add(key)
            return Response(status: .created)
        }
        router.delete("keys/{id}") { _, context in
            guard service.removeKey(try context.parameters.require("id")) else {
                throw ControlProblem(.notFound, "there is no such key")
            }
            return Response(status: .noContent)
        }
    }

    private var clock: ClockBody { ClockBody(now: fleet.clock.now, rate: fleet.clock.rate) }

    private func body(_ phone: FleetPhone, log: EmulatedPhoneBody.Log) -> EmulatedPhoneBody {
        EmulatedPhoneBody(phone, at: fleet.clock.now, log: log)
    }

    @Sendable private func addPhone(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let new = try await Self.decode(NewEmulatedPhoneBody.self, request)
        if let asked = new.serviceURL, asked.withoutLastSlash != serviceURL?.withoutLastSlash {
            throw ControlProblem(
                .badRequest, "serviceURL: is another than the --service-url that apns-emulator was started with")
        }
        let phone: FleetPhone
        do { phone = try new.phone(at: fleet.clock.now, defaultServiceURL: serviceURL) } catch {
            throw ControlProblem(.badRequest, error.message)
        }
        switch fleet.add(phone) {
        case .added: return try Self.json(body(phone, log: .none), status: .created)
        case .exists: throw ControlProblem(.conflict, "there is a phone \(new.id); delete it first")
        case .full: throw ControlProblem(.conflict, "there are \(PhoneFleet.phonesMax) phones; delete some first")
        }
    }

    /// Sends the phone as an event `phone` at each change, and also once in each ``heartbeat``.
    private func stream(_ id: String) throws -> Response {
        let changes = try fleet.changes(of: id)
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
                try await Self.forEach(changes, atLeastEvery: Self.heartbeat) {
                    // The stream ends with its phone: a deleted phone is the only error.
                    guard let phone = try? fleet.phone(id) else { return }
                    let data = try JSONEncoder().encode(body(phone, log: .newest(Self.streamedPushes)))
                    try await writer.write(
                        ByteBuffer(string: "event: phone\ndata: \(String(decoding: data, as: UTF8.self))\n\n"))
                }
                try await writer.finish(nil)
            })
    }

    /// Calls `write` at each change, and also once in each interval; returns when the changes end.
    private static func forEach(
        _ changes: AsyncStream<Void>, atLeastEvery interval: Duration, write: () async throws -> Void
    ) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in changes { continuation.yield() }
                continuation.finish()
            }
            group.addTask {
                while true {
                    try await Task.sleep(for: interval)
                    continuation.yield()
                }
            }
            defer { group.cancelAll() }
            for await _ in events { try await write() }
        }
    }

    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(data: try encoder.encode(value))))
    }

    private static func decode<Body: ControlBody>(_ type: Body.Type, _ request: Request) async throws -> Body {
        // A form of a page cannot have this type, and a script of a page has an Origin.
        let mediaType = request.headers[.contentType]?.split(separator: ";").first?
            .trimmingCharacters(in: .whitespaces).lowercased()
        guard mediaType == "application/json" else {
            throw ControlProblem(.unsupportedMediaType, "Content-Type: is not application/json")
        }
        let data = Data(buffer: try await request.body.collect(upTo: bodyBytesMax))
        // The decoder below refuses a body that is no JSON object, with its reason.
        let names = (try? JSONSerialization.jsonObject(with: data) as? [String: Any])?.keys.map(\.self) ?? []
        if let unknown = names.filter({ !Body.properties.contains($0) }).sorted().first {
            throw ControlProblem(
                .badRequest,
                "\(unknown): is not a known property; there are \(Body.properties.sorted().joined(separator: ", "))")
        }
        do { return try JSONDecoder().decode(type, from: data) } catch {
            throw ControlProblem(.badRequest, "the body is not what this route takes: \(error)")
        }
    }
}

/// A refusal of an operator's request.
struct ControlProblem: Error {
    let status: HTTPResponse.Status
    let detail: String

    init(_ status: HTTPResponse.Status, _ detail: String) {
        self.status = status
        self.detail = detail
    }
}

/// Answers errors as problem+json.
private struct ProblemsMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let problem as ControlProblem {
            return try answer(problem)
        } catch let missing as PhoneFleet.NoSuchPhone {
            return try answer(ControlProblem(.notFound, "there is no phone \(missing.id)"))
        }
    }

    private func answer(_ problem: ControlProblem) throws -> Response {
        var response = try ControlHTTP.json(
            ProblemBody(
                title: problem.status.reasonPhrase, status: problem.status.code, detail: problem.detail),
            status: problem.status)
        response.headers[.contentType] = "application/problem+json"
        return response
    }
}
