import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import LiveActivity
import Messages
import OrderDomain
import ServiceRuntime

/// The routes of `activity-dispatch`: decode, call a use case, answer.
struct DispatchHTTP: Sendable {
    let clock: DomainClock
    let registerDevice: RegisterDevice
    let applyReports: ApplyReports
    let showActivity: ShowActivity
    let showPhones: ShowPhones
    let showWanted: ShowWanted
    let overrideCards: OverrideCards
    let findDevices: FindDevices
    let makeCardReport: MakeCardReport
    let followCards: FollowCards
    let operatorRoutes: OperatorRoutes
    let wall: @Sendable () -> Date

    /// The query parameters of the routes.
    static let queryParameters = QueryParameters([
        "GET /v1/devices": ["search"],
        "GET /v1/devices/{id}/stream": ["lastEventID"],
        "GET /v1/activities": ["delivery", "rendered"],
        "GET /v1/cards/report": ["day", "store"],
    ])

    /// The operations that answer operators and stores with personal data.
    static let personalReads = PersonalReads([
        "GET /v1/devices": .list("listDevices", .device),
        "GET /v1/activities": .one("listActivities", .card),
        "GET /v1/activities/{id}": .one("getActivity", .card),
    ])

    func addRoutes(to router: Router<AppContext>) {
        operatorRoutes.record(Self.personalReads, on: router)
        let devices = router.group("v1/devices")
        devices.get(use: listDevices)
        devices.put("{id}", use: register)
        devices.get("{id}/stream", use: stream)
        devices.post("{id}/reports", use: report)
        devices.get("{id}/wanted", use: wanted)

        let activities = router.group("v1/activities")
        activities.get(use: listActivities)
        activities.get("{id}", use: show)
        activities.post("{id}/resend", use: resend)
        activities.post("{id}/end-card", use: endCard)
        router.get("v1/cards/report", use: showCardReport)
        operatorRoutes.addRoutes(to: router)
    }

    // MARK: Devices

    @Sendable func listDevices(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.operator)
        guard principal.scope.delivery == nil else { throw Problem.tokenOfOneDelivery() }
        guard let beginning = request.query("search").flatMap(DeviceID.init) else {
            throw Problem.malformed(
                "query search", "must be the beginning of a device's id: 1 to 64 letters, digits, - and _")
        }
        return try jsonResponse(
            DevicesBody(devices: try await findDevices(beginningWith: beginning, of: principal.scope.store)))
    }

    @Sendable func register(_ request: Request, _ context: AppContext) async throws -> Response {
        let (customer, scope) = try context.deviceOwner()
        let id = try context.path("id", as: DeviceID.self)
        let body = try await request.decode(as: RegisterDeviceBody.self)
        return try jsonResponse(DeviceBody(try await registerDevice(id, body, for: customer, within: scope)))
    }

    @Sendable func stream(_ request: Request, _ context: AppContext) async throws -> Response {
        let (customer, scope) = try context.deviceOwner()
        let identity = try context.require(.customer)
        let id = try context.path("id", as: DeviceID.self)
        let lifetime = Duration.seconds(max(0, identity.expiresAt.timeIntervalSince(wall())))
        do {
            let stream = try await followCards(
                on: id, of: customer, within: scope, after: try lastEventID(request), for: lifetime)
            let isRevoked = context.isTokenRevoked
            return sseResponse(stream, on: stream.slot.signal, in: context, isAllowed: { !isRevoked() })
        } catch FollowCards.Refusal.notFound {
            throw Problem.notFound("device \(id)")
        } catch FollowCards.Refusal.notAStream {
            throw Problem.conflict("this device gets its pushes from Apple", slug: "not-a-stream")
        } catch FollowCards.Refusal.tooManyStreams {
            throw Problem.tooManyStreams(max: StreamHub.streamsPerCustomerMax)
        }
    }

    @Sendable func report(_ request: Request, _ context: AppContext) async throws -> Response {
        let (customer, scope) = try context.deviceOwner()
        let id = try context.path("id", as: DeviceID.self)
        let body = try await request.decode(as: ReportsBody.self)
        guard body.reports.count <= ApplyReports.reportsMax else {
            throw Problem.malformed("reports", "are more than \(ApplyReports.reportsMax)")
        }
        let reports: [DeviceReport] = try body.reports.enumerated().map {
            try .init($1, at: "reports[\($0)]", now: clock.now, wall: wall())
        }
        guard let taken = try await applyReports(reports, from: id, of: customer, within: scope) else {
            throw Problem.notFound("device \(id)")
        }
        return try jsonResponse(taken, status: .accepted)
    }

    @Sendable func wanted(_ request: Request, _ context: AppContext) async throws -> Response {
        let (customer, scope) = try context.deviceOwner()
        let id = try context.path("id", as: DeviceID.self)
        guard let body = try await showWanted(id, of: customer, within: scope) else {
            throw Problem.notFound("device \(id)")
        }
        return try jsonResponse(body)
    }

    private func lastEventID(_ request: Request) throws -> Int {
        let header = request.headers[.lastEventID]
        guard let text = header ?? request.query("lastEventID"), !text.isEmpty else { return 0 }
        guard let id = Int(text), id >= 0 else {
            throw Problem.malformed(
                header == nil ? "query lastEventID" : "header Last-Event-ID", "is not an id of this stream")
        }
        return id
    }

    // MARK: Activities

    @Sendable func listActivities(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.operator)
        guard let delivery = try request.query("delivery", as: DeliveryID.self) else {
            throw Problem.malformed("query delivery", "is missing")
        }
        let isRendered = try request.query("rendered", as: BooleanParameter.self) == .true
        let activities = try await showActivity.activities(of: delivery, to: principal)
        let bodies = try await showActivity.bodies(of: activities, withContent: isRendered)
        let phones = try await showPhones(activities.map(\.activity))
        return try jsonResponse(ActivitiesBody(activities: bodies, phones: phones))
    }

    @Sendable func show(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.operator, .customer)
        let id = try context.path("id", as: ActivityID.self)
        guard let body = try await showActivity(id, to: principal) else { throw Problem.notFound("activity \(id)") }
        return try jsonResponse(body)
    }

    @Sendable func resend(_ request: Request, _ context: AppContext) async throws -> Response {
        let identity = try context.require(.operator, as: .supervisor)
        let activity = try await activity(context, for: Principal(identity))
        let body = try await request.decode(as: ReasonBody.self)
        let cards = try await overrideCards(
            .resend, activity, by: identity.recordedName, reason: try body.reason.reason())
        return try jsonResponse(OverriddenBody(cards: cards), status: .accepted)
    }

    @Sendable func endCard(_ request: Request, _ context: AppContext) async throws -> Response {
        let identity = try context.require(.operator, as: .supervisor)
        let activity = try await activity(context, for: Principal(identity))
        let body = try await request.decode(as: EndCardBody.self)
        let device = try body.device.map {
            guard let id = DeviceID(rawValue: $0) else { throw Problem.malformed("device", "is not a device's id") }
            return id
        }
        let cards = try await overrideCards(
            .endCard, activity, device: device, by: identity.recordedName, reason: try body.reason.reason())
        return try jsonResponse(OverriddenBody(cards: cards), status: .accepted)
    }

    /// The activity of the path, if it is within the token's scope.
    private func activity(_ context: AppContext, for principal: Principal) async throws -> ActivityID {
        let id = try context.path("id", as: ActivityID.self)
        guard try await showActivity.isVisible(id, to: principal) else { throw Problem.notFound("activity \(id)") }
        return id
    }
}

extension AppContext {
    /// The token's customer, and its store restriction: a device shows everything that it may.
    ///
    /// - Throws: ``Problem`` 403 for a token of one delivery.
    fileprivate func deviceOwner() throws -> (customer: CustomerID, scope: TokenScope) {
        let principal = try principal(.customer)
        guard case .customer(let id) = principal.subject else { throw Problem.notFound() }
        guard principal.scope.delivery == nil else { throw Problem.tokenOfOneDelivery() }
        return (id, principal.scope)
    }
}

extension Problem {
    /// 403: the token is of one delivery, and a device shows every delivery of its customer.
    fileprivate static func tokenOfOneDelivery() -> Problem {
        Problem(
            .forbidden, "token-of-one-delivery", title: "This token is good for one delivery only",
            detail: "a device shows all of its customer's deliveries; use a token that is not scoped to one")
    }
}

extension RegisterDevice.OutOfScope: ProblemConvertible {
    var problem: Problem {
        Problem(
            .forbidden, "device-out-of-scope", title: "This token is good for one store only",
            detail: "the device is registered for other stores too; register another, or use a token of all stores")
    }
}

extension RegisterDevice.SecretRequired: ProblemConvertible {
    var problem: Problem {
        Problem(
            .forbidden, "device-secret-required", title: "This device is another customer's",
            detail: "send the secret that its registration was answered with, or register under another id")
    }
}

extension RegisterDevice.Invalid: ProblemConvertible {
    var problem: Problem { .malformed(path, message) }
}

extension RegisterDevice.TooManyDevices: ProblemConvertible {
    var problem: Problem {
        .conflict(
            "the customer has \(devicesMax) devices already; one makes room when \(devicesDays) days have passed since "
                + "it last registered and its cards are forgotten", slug: "too-many-devices",
            extra: ["devices_max": devicesMax])
    }
}

extension DeviceBody {
    fileprivate init(_ registration: RegisterDevice.Registration) {
        let stored = registration.stored
        let device = stored.device
        self.init(
            id: device.id.rawValue, customer: device.customer.rawValue, transport: device.transport.rawValue,
            locale: device.locale, timeZone: device.timeZone, activitiesEnabled: device.isEnabled,
            frequentPushesEnabled: device.allowsFrequentPushes, appVersion: device.appVersion,
            registeredAt: device.registeredAt, lastEventID: stored.lastEventID,
            secret: registration.newSecret?.text)
    }
}

extension Problem {
    /// Seconds after which another stream may have ended: a heartbeat detects a client that is gone.
    private static let streamRetrySeconds = 15

    fileprivate static func tooManyStreams(max: Int) -> Problem {
        var problem = Problem(
            .tooManyRequests, "too-many-streams", title: "As many screens of this customer are connected as may be",
            detail: "\(max) screens are connected; close one", extra: ["streams_max": max])
        problem.retryAfter = streamRetrySeconds
        return problem
    }
}
