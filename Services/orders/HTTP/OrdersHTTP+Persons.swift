import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import Messages
import OrderDomain
import ServiceRuntime
import WireCoding

/// Requests to erase a customer or a courier over all services.
extension OrdersHTTP {
    @Sendable func erasePerson(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .supervisor)
        guard principal.scope.delivery == nil else { throw Problem.notFound("this token is for one delivery") }
        let customer = try context.path("customer", as: CustomerID.self)
        let body = try await request.decode(as: ErasePersonBody.self)
        let accepted = try await requestErasure(customer, by: principal, endsLive: body.endLive ?? false)
        return try response(accepted)
    }

    @Sendable func eraseCourier(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .supervisor)
        guard principal.scope.delivery == nil else { throw Problem.notFound("this token is for one delivery") }
        let courier = try context.path("id", as: CourierID.self)
        let body = try await request.decode(as: ErasePersonBody.self)
        return try response(
            try await requestCourierErasure(courier, by: principal, endsLive: body.endLive ?? false))
    }

    private func response(_ accepted: PersonRequest) throws -> Response {
        try jsonResponse(
            PersonRequestBody(accepted, expiries: requestErasure.expiries(of: accepted)), status: .accepted,
            headers: [.location: "/v1/person-requests/\(accepted.id.uuidString.lowercased())"]
        ).confidential()
    }

    @Sendable func showPersonRequest(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator)
        guard principal.scope.delivery == nil, let id = context.parameters.get("id").flatMap(UUID.init(uuidString:))
        else { throw Self.noPersonRequest }
        if let erasure = try await requestErasure.request(id, for: principal) {
            let expiries = requestErasure.expiries(of: erasure)
            return try jsonResponse(PersonRequestBody(erasure, expiries: expiries)).confidential()
        }
        guard let export = try await requestExport.export(id, for: principal) else { throw Self.noPersonRequest }
        return try jsonResponse(PersonRequestBody(export)).confidential()
    }

    static let noPersonRequest = Problem.notFound("no request about a person with this id")
}

extension PersonRequestBody {
    init(_ request: PersonRequest, expiries: [Expiry]?) {
        self.init(
            id: request.id.uuidString.lowercased(), kind: .erase,
            state: request.finishedAt == nil ? .running : .done, person: Person(request.person),
            customer: request.customer, courier: request.courier?.id,
            requestedBy: request.requestedBy, requestedAt: request.requestedAt, finishedAt: request.finishedAt,
            services: Service.all(of: request.receipts), expiries: expiries)
    }
}

extension PersonRequestBody.Person {
    init(_ person: PersonRequest.Person) {
        switch person {
        case .customer: self = .customer
        case .courier: self = .courier
        }
    }
}

extension PersonRequestBody.Service {
    /// Sorted by name.
    static func all(of receipts: PersonRequest.Receipts) -> [Self] {
        let all =
            [(PersonRequest.Receipts.ownName, receipts.own)]
            + ErasingService.allCases.map { ($0.rawValue, receipts[$0]) }
        return all.map { Self($0, $1) }.sorted { $0.service < $1.service }
    }

    fileprivate init(_ name: String, _ receipt: PersonRequest.Receipt) {
        self.init(
            service: name, isDone: receipt.isDone,
            tables: receipt.rows.sorted { $0.key < $1.key }.map { Table(table: $0.key, rows: $0.value) },
            failure: receipt.failure)
    }
}

extension RequestErasure.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notConfigured:
            .conflict(
                "this installation erases no persons: erasures.key.file is not set", slug: "erasures-not-configured")
        case .notFound(let customer): .notFound("no customer \(customer)")
        case .otherStores(let customer):
            .conflict(
                "other stores have deliveries of customer \(customer) too; ask an operator to erase them",
                slug: "customer-of-other-stores")
        case .liveDeliveries(let customer, let count):
            .conflict(
                "customer \(customer) has \(count) live deliveries; end them first, or say endLive",
                slug: "live-deliveries")
        }
    }
}

extension RequestCourierErasure.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notConfigured: RequestErasure.Refusal.notConfigured.problem
        case .notFound(let courier): .notFound("no courier \(courier)")
        case .otherStores(let courier):
            .conflict(
                "courier \(courier) is not known to be of this store alone; ask an operator to erase them",
                slug: "courier-of-other-stores")
        case .liveDeliveries(let courier, let deliveries):
            .conflict(
                "courier \(courier) has live deliveries: \(Self.names(deliveries)); take the courier off them first, or "
                    + "say endLive", slug: "live-deliveries")
        case .carriedDeliveries(let courier, let deliveries):
            .conflict(
                "courier \(courier) has the goods of live deliveries: \(Self.names(deliveries)); assign another courier "
                    + "who fetches them, or end the deliveries", slug: "live-deliveries")
        case .onDuty(let courier, let end):
            .conflict(
                "courier \(courier) is on duty until \(WireJSON.text(of: end)); end the duty first, or say endLive",
                slug: "courier-on-duty")
        case .unanswered:
            .unavailable(
                "courier-eta does not answer whether the courier is on duty; say endLive, which ends a duty",
                retryAfterSeconds: 5)
        }
    }

    /// Deliveries that a refusal names.
    private static let namedMax = 10

    private static func names(_ deliveries: [DeliveryID]) -> String {
        let more = deliveries.count > namedMax ? " and \(deliveries.count - namedMax) more" : ""
        return deliveries.prefix(namedMax).map(\.rawValue).joined(separator: ", ") + more
    }
}
