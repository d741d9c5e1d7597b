import DoorstepAPI
import Foundation
import Hummingbird
import Messages
import OrderDomain
import ServiceRuntime

/// The routes of `courier-eta`: decode, call a use case, answer.
struct CourierETAHTTP: Sendable {
    let readTracking: ReadTracking
    let operatorRoutes: OperatorRoutes

    /// The query parameters of all routes of the service; tracker apps append their own to the address of a position.
    static let queryParameters = QueryParameters(
        [
            "GET /v1/couriers": ["courier", "limit", "after"],
            "GET /v1/courier-positions": ["since", "limit", "after"],
            "GET /v1/couriers/{id}/trip": ["adding"],
        ], open: ["/ingest"])

    /// The operations that answer operators and stores with personal data.
    static let personalReads = PersonalReads([
        "GET /v1/couriers": .list("listCouriers", .courier),
        "GET /v1/courier-positions": .list("listCourierPositions", .position),
        "GET /v1/couriers/{id}": .one("getCourier", .position),
        "GET /v1/couriers/{id}/trip": .one("previewTrip", .position),
        "GET /v1/couriers/{id}/phones": .one("listPhones", .phone),
        "GET /v1/couriers/{id}/duty": .one("getDuty", .duty),
        "GET /v1/couriers/{id}/map": .one("getCourierMap", .courier, of: .courier("id")),
        "GET /v1/estimates/{delivery}": .one("getEstimate", .estimate),
    ])

    func addRoutes(to router: Router<AppContext>) {
        router.get("v1/couriers/{id}", use: courier)
        router.get("v1/estimates/{delivery}", use: estimate)
        operatorRoutes.addRoutes(to: router)
    }

    @Sendable func courier(_ request: Request, _ context: AppContext) async throws -> Response {
        let id = try context.courier().id
        guard let position = try await readTracking.position(of: id) else { throw Problem.notFound("no courier \(id)") }
        return try jsonResponse(position)
    }

    @Sendable func estimate(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.operator, .customer)
        let id = try context.path("delivery", as: DeliveryID.self)
        guard let tracked = try await readTracking.delivery(id, for: principal) else {
            throw Problem.notFound("no delivery \(id)")
        }
        let isForCustomer = if case .customer = principal.subject { true } else { false }
        return try jsonResponse(EstimateBody(tracked, isForCustomer: isForCustomer))
    }
}

extension EstimateBody {
    /// Customers get the estimate of their screens, where these show one; operators the newest too.
    ///
    /// From the door on an answer has none: the one from before it is of no arrival to come.
    fileprivate init(_ tracked: TrackedDelivery, isForCustomer: Bool) {
        let hasArrival = isForCustomer ? tracked.delivery.showsArrival : !tracked.delivery.hasReachedDoor
        let published = hasArrival ? tracked.tracking.shown : nil
        let newest = hasArrival ? tracked.tracking.estimate : nil
        self.init(
            delivery: tracked.delivery.id, version: tracked.delivery.version, step: tracked.step,
            estimate: isForCustomer ? published : newest, published: published,
            lastFixAt: tracked.tracking.lastFixAt,
            milestones: tracked.tracking.milestones.filter { !isForCustomer || $0.milestone.isForScreens }
                .map { .init(milestone: $0.milestone, at: $0.at) })
    }
}
