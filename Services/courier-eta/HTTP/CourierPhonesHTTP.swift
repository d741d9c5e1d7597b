import DomainTime
import DoorstepAPI
import Foundation
import Hummingbird
import OrderDomain
import PostgresClient
import ServiceRuntime

/// The routes about a courier's phones and duty, for operators and the courier.
struct CourierPhonesHTTP: Sendable {
    /// Phones of one courier that may send at once.
    static let phonesMax = 8
    static let labelCharactersMax = 64

    let pool: PostgresPool
    let clock: DomainClock
    let authenticator: IngestAuthenticator

    func addRoutes(to router: Router<AppContext>) {
        router.get("v1/couriers/{id}/phones", use: list)
        router.post("v1/couriers/{id}/phones", use: enrol)
        router.delete("v1/couriers/{id}/phones/{phone}", use: revoke)
        router.get("v1/couriers/{id}/duty", use: duty)
        router.put("v1/couriers/{id}/duty", use: beginDuty)
        router.delete("v1/couriers/{id}/duty", use: endDuty)
    }

    /// The courier that the path names, when it is the caller's to see.
    ///
    /// - Parameter needed: what an operator's token must be good for.
    private func courier(
        _ context: AppContext, as needed: OperatorScope = .viewer
    ) throws -> (id: CourierID, subject: String) {
        let identity = try context.requireUnrestricted(.operator, .courier, as: needed)
        let id = try context.path("id", as: CourierID.self)
        guard identity.role == .operator || identity.subject == id.rawValue else {
            throw Problem.notFound("no courier \(id)")
        }
        return (id, "\(identity.role.rawValue) \(identity.recordedName)")
    }

    // MARK: Phones

    @Sendable func list(_ request: Request, _ context: AppContext) async throws -> Response {
        let (id, _) = try courier(context)
        return try jsonResponse(
            PhonesBody(phones: try await PhoneRepository.phones(of: id, on: pool).map { PhoneBody($0) }))
    }

    @Sendable func enrol(_ request: Request, _ context: AppContext) async throws -> Response {
        let (id, subject) = try courier(context, as: .dispatcher)
        let body = try await request.decode(as: EnrolPhoneBody.self) { body, check in
            if let label = body.label { check.plainText(label, "label", charactersMax: Self.labelCharactersMax) }
        }
        guard try await PhoneRepository.count(of: id, on: pool) < Self.phonesMax else {
            throw Problem.conflict(
                "\(id) has \(Self.phonesMax) phones already; revoke one first", slug: "too-many-phones")
        }
        var random = SystemRandomNumberGenerator()
        let token = PhoneToken.generate(using: &random)
        let now = clock.now
        let phone = Phone(
            id: PhoneID(enrolledAt: now, random: random.next()), courier: id, app: body.app, label: body.label,
            enrolledAt: now, enrolledBy: subject)
        try await PhoneRepository.insert(phone, tokenHash: token.hash, on: pool)
        return try jsonResponse(EnrolledPhoneBody(phone: PhoneBody(phone), token: token.text), status: .created)
    }

    /// A repeat answers as the first did.
    @Sendable func revoke(_ request: Request, _ context: AppContext) async throws -> Response {
        let (id, subject) = try courier(context, as: .dispatcher)
        let phone = PhoneID(rawValue: try context.path("phone"))
        let revoked = try await PhoneRepository.revoke(phone, of: id, at: clock.now, by: subject, on: pool)
        guard let revoked else { throw Problem.notFound("\(id) has no phone \(phone.rawValue)") }
        authenticator.forget([phone])
        return try jsonResponse(PhoneBody(revoked))
    }

    // MARK: Duty

    @Sendable func duty(_ request: Request, _ context: AppContext) async throws -> Response {
        try await answer(try courier(context).id)
    }

    @Sendable func beginDuty(_ request: Request, _ context: AppContext) async throws -> Response {
        let (id, subject) = try courier(context, as: .dispatcher)
        let now = clock.now
        let data = try await request.bytes()
        let body = data.isEmpty ? BeginDutyBody() : try await Request.decode(BeginDutyBody.self, from: data)
        let end = body.until ?? now.addingTimeInterval(Duty.hoursUsual * 3_600)
        guard end > now, end <= now.addingTimeInterval(Duty.hoursMax * 3_600) else {
            throw Problem.malformed("until", "must lie ahead by \(Int(Duty.hoursMax)) hours at most")
        }
        try await PhoneRepository.beginDuty(of: id, at: now, until: end, by: subject, on: pool)
        return try await answer(id)
    }

    /// Ends the present duty; a live delivery keeps the courier on duty until it ends.
    @Sendable func endDuty(_ request: Request, _ context: AppContext) async throws -> Response {
        let (id, subject) = try courier(context, as: .dispatcher)
        try await PhoneRepository.endDuty(of: id, at: clock.now, by: subject, on: pool)
        return try await answer(id)
    }

    private func answer(_ id: CourierID) async throws -> Response {
        let now = clock.now
        let rows = try await pool.query(PhoneRepository.duties(of: [id], since: now))
        let duty = Duty(periods: try rows.map { try PhoneRepository.duty($0).period })
        let period = duty.period(at: now)
        return try jsonResponse(
            DutyBody(
                courier: id, onDuty: period != nil, because: period.map { $0.isByDelivery ? .delivery : .declared },
                until: period.flatMap { $0.to == .distantFuture ? nil : $0.to }))
    }
}

extension PhoneBody {
    init(_ phone: Phone) {
        self.init(
            phone: phone.id.rawValue, courier: phone.courier, app: phone.app, label: phone.label,
            enrolledAt: phone.enrolledAt, enrolledBy: phone.enrolledBy, revokedAt: phone.revokedAt,
            revokedBy: phone.revokedBy, lastSeenAt: phone.lastSeenAt, malformed: phone.malformed,
            malformedAt: phone.malformedAt)
    }
}
