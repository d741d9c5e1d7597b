import DoorstepAPI
import Foundation
import Hummingbird
import OrderDomain
import ServiceRuntime

/// The routes about a courier's phones and duty, for operators and the courier.
struct CourierPhonesHTTP: Sendable {
    static let labelCharactersMax = 64

    let phones: ManagePhones
    let duty: ManageDuty

    func addRoutes(to router: Router<AppContext>) {
        router.get("v1/couriers/{id}/phones", use: list)
        router.post("v1/couriers/{id}/phones", use: enrol)
        router.delete("v1/couriers/{id}/phones/{phone}", use: revoke)
        router.get("v1/couriers/{id}/duty", use: showDuty)
        router.put("v1/couriers/{id}/duty", use: beginDuty)
        router.delete("v1/couriers/{id}/duty", use: endDuty)
    }

    // MARK: Phones

    @Sendable func list(_ request: Request, _ context: AppContext) async throws -> Response {
        let id = try context.courier().id
        return try jsonResponse(PhonesBody(phones: try await phones.phones(of: id).map { PhoneBody($0) }))
    }

    @Sendable func enrol(_ request: Request, _ context: AppContext) async throws -> Response {
        let (id, subject) = try context.courier(as: .dispatcher)
        let body = try await request.decode(as: EnrolPhoneBody.self) { body, check in
            if let label = body.label { check.plainText(label, "label", charactersMax: Self.labelCharactersMax) }
        }
        do {
            let (phone, token) = try await phones.enrol(body.app, label: body.label, of: id, by: subject)
            return try jsonResponse(EnrolledPhoneBody(phone: PhoneBody(phone), token: token.text), status: .created)
        } catch is ManagePhones.TooManyPhones {
            throw Problem.conflict(
                "\(id) has \(ManagePhones.phonesMax) phones already; revoke one first", slug: "too-many-phones")
        }
    }

    /// A repeat answers as the first did.
    @Sendable func revoke(_ request: Request, _ context: AppContext) async throws -> Response {
        let (id, subject) = try context.courier(as: .dispatcher)
        let phone = PhoneID(rawValue: try context.path("phone"))
        guard let revoked = try await phones.revoke(phone, of: id, by: subject) else {
            throw Problem.notFound("\(id) has no phone \(phone.rawValue)")
        }
        return try jsonResponse(PhoneBody(revoked))
    }

    // MARK: Duty

    @Sendable func showDuty(_ request: Request, _ context: AppContext) async throws -> Response {
        try await answer(try context.courier().id)
    }

    @Sendable func beginDuty(_ request: Request, _ context: AppContext) async throws -> Response {
        let (id, subject) = try context.courier(as: .dispatcher)
        let data = try await request.bytes()
        let body = data.isEmpty ? BeginDutyBody() : try await Request.decode(BeginDutyBody.self, from: data)
        do {
            try await duty.begin(of: id, until: body.until, by: subject)
        } catch is ManageDuty.WrongEnd {
            throw Problem.malformed("until", "must lie ahead by \(Int(Duty.hoursMax)) hours at most")
        }
        return try await answer(id)
    }

    /// Ends the present duty; a live delivery keeps the courier on duty until it ends.
    @Sendable func endDuty(_ request: Request, _ context: AppContext) async throws -> Response {
        let (id, subject) = try context.courier(as: .dispatcher)
        try await duty.end(of: id, by: subject)
        return try await answer(id)
    }

    private func answer(_ id: CourierID) async throws -> Response {
        let period = try await duty.period(of: id)
        return try jsonResponse(
            DutyBody(
                courier: id, onDuty: period != nil, because: period.map { $0.isByDelivery ? .delivery : .declared },
                until: period.flatMap { $0.to == .distantFuture ? nil : $0.to }))
    }
}

extension AppContext {
    /// The courier in the path, if the caller may see them, and the caller's name for records.
    ///
    /// - Parameter needed: the required operator scope.
    func courier(as needed: OperatorScope = .viewer) throws -> (id: CourierID, subject: String) {
        let identity = try requireUnrestricted(.operator, .courier, as: needed)
        let id = try path("id", as: CourierID.self)
        guard identity.role == .operator || identity.subject == id.rawValue else {
            throw Problem.notFound("no courier \(id)")
        }
        return (id, "\(identity.role.rawValue) \(identity.recordedName)")
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
