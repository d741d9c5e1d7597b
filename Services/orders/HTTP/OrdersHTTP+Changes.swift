import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime

/// Changing deliveries: each route makes one `DeliveryChange` and responds with the delivery after it.
extension OrdersHTTP {
    @Sendable func setStatus(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, .courier, as: .dispatcher)
        let condition = try request.headers.ifMatch(of: principal)
        let body = try await request.decode(as: StatusBody.self) { $1.reason($0.reason) }
        guard principal.maySet(body.status) else {
            throw Problem.statusNotAllowed(body.status)
        }
        let reason = try body.reason?.reason()
        let notice = try body.notice(by: principal)
        let now = change.clock.now
        return try await apply(
            request, context, by: principal, if: condition, overtakesPress: body.status.overtakesPress
        ) { delivery in
            try statusChange(to: body.status, reason: reason, notice: notice, of: delivery, by: principal, at: now)
        }
    }

    /// An operator reopens an ended delivery, decides that a disputed one ended so, or waives a missing proof, with a
    /// reason; every other status is an ordinary transition.
    ///
    /// A `delivered` that was set by mistake is a dispatcher's to correct for two hours, and a supervisor's later, as
    /// every other end is.
    private func statusChange(
        to status: StatusCode, reason: String?, notice: CustomerNotice, of delivery: Delivery, by principal: Principal,
        at now: Date
    ) throws -> DeliveryChange {
        if case .operator = principal.subject, status == .delivered, delivery.canWaiveProofs {
            return .override(status, reason: try Self.required(reason, "a hand-over without its proof"), notice: notice)
        }
        let isConfirmed = status == delivery.status.code
        guard case .operator = principal.subject, delivery.status.isEnded, !isConfirmed || delivery.disputedAt != nil
        else { return .status(status, reason: reason, notice: notice) }
        guard isConfirmed || delivery.isMistakable(at: now) || principal.may(.supervisor) else {
            throw Problem.scopeTooNarrow(.supervisor)
        }
        return .override(
            status, reason: try Self.required(reason, "a change of a delivery that has ended"), notice: notice)
    }

    private static func required(_ reason: String?, _ change: String) throws -> String {
        guard let reason else {
            throw Problem.unprocessable(
                "\(change) needs a reason", slug: "reason-required",
                errors: [.init(path: "reason", message: "is missing")])
        }
        return reason
    }

    @Sendable func assignCourier(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .dispatcher)
        let condition = try request.headers.ifMatch()
        let body = try await request.decode(as: AssignBody.self, check: Self.check)
        let reason = try body.reason?.reason()
        let mayBeUnknown = try request.query("unknown", as: BooleanParameter.self) == .true
        let (courier, origin) = try await requestedCourier(
            body, context, by: principal, mayBeUnknown: mayBeUnknown)
        return try await apply(
            request, context, by: principal, if: condition, reason: reason,
            describing: origin == .request ? courier : nil, overtakesPress: true
        ) { delivery in
            let present = [delivery.courier, delivery.fetchedFrom].compactMap(\.self).first { $0.id == courier?.id }
            let described = origin == .deliveries ? present ?? courier : courier
            return .courier(described, stopsBefore: courier == nil ? nil : body.stopsBefore)
        }
    }

    /// The source of a courier's description.
    private enum DescriptionOrigin {
        case request
        /// An earlier request of the store or of the shop.
        case store
        /// The deliveries of a courier whom no request has described, such as a provider's.
        case deliveries
    }

    @Sendable private static func check(_ body: AssignBody, _ check: inout BodyCheck) {
        check.reason(body.reason)
        if let stops = body.stopsBefore {
            check.require(TripBody.stopsBeforeRange.contains(stops), "stopsBefore", "must be 0 to 50")
        }
        guard case .described(let courier) = body.courier else { return }
        check.plainText(courier.name, "courier.name", charactersMax: PlaceOrder.nameCharactersMax)
        if let phone = courier.phone {
            check.plainText(phone, "courier.phone", charactersMax: PlaceOrder.phoneCharactersMax)
        }
    }

    /// The courier in the body, described or named by the id of an earlier description; nil removes the courier.
    ///
    /// A shop names its own couriers, who need no description: without any, the id serves as the name. An operator
    /// types an id, which is refused where no description, no live delivery of the store and no former version of this
    /// one has it, unless the caller has checked it elsewhere.
    private func requestedCourier(
        _ body: AssignBody, _ context: AppContext, by principal: Principal, mayBeUnknown: Bool
    ) async throws -> (courier: Courier?, origin: DescriptionOrigin) {
        switch body.courier {
        case nil: return (nil, .request)
        case .known(let courier):
            let id = try context.path("id", as: DeliveryID.self)
            guard let record = try await readOrders.delivery(id, for: principal) else {
                throw Problem.notFound("no delivery \(id)")
            }
            let store = record.delivery.store.id
            if let described = try await readOrders.courier(courier, of: store) { return (described, .store) }
            if let known = try await readOrders.courier(courier, inDeliveriesOf: store, andVersionsOf: id) {
                return (known, .deliveries)
            }
            if case .operator = principal.subject, !mayBeUnknown {
                throw try await readOrders.unknown(courier, to: store)
            }
            return (Courier(id: courier, name: courier.rawValue, vehicle: .bicycle, phone: nil), .deliveries)
        case .described(let described):
            let courier = Courier(
                id: described.id, name: described.name, vehicle: described.vehicle ?? .bicycle, phone: described.phone)
            return (courier, .request)
        }
    }

    @Sendable func changeItem(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .dispatcher)
        let condition = try request.headers.ifMatch()
        let item = try context.path("item", as: ItemID.self)
        let body = try await request.decode(as: ItemBody.self, check: ItemBody.check)
        let reason = try body.reason?.reason()
        let now = change.clock.now
        return try await apply(request, context, by: principal, if: condition, reason: reason) { delivery in
            .item(
                item,
                try body.change(
                    of: delivery.items.first { $0.id == item }, promise: delivery.promise, at: now),
                refundMinorUnits: body.refundMinorUnits)
        }
    }

    @Sendable func hold(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.operator, as: .dispatcher)
        let condition = try request.headers.ifMatch()
        let body = try await request.decode(as: HoldBody.self) { $1.reason($0.reason) }
        let reason = try body.reason.reason()
        return try await apply(request, context, by: principal, if: condition, overtakesPress: true) { _ in
            .hold(reason: reason)
        }
    }

    @Sendable func release(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.operator, as: .dispatcher)
        let condition = try request.headers.ifMatch()
        let bytes = try await request.bytes()
        let reason = bytes.isEmpty ? nil : try await Request.decode(HoldBody.self, from: bytes).reason.reason()
        return try await apply(request, context, by: principal, if: condition, reason: reason) { _ in .release }
    }

    @Sendable func reschedule(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .dispatcher)
        let condition = try request.headers.ifMatch()
        let body = try await request.decode(as: PromiseBody.self) { [limits = placeOrder.limits] body, check in
            check.reason(body.reason)
            check.require(body.start < body.end, "end", "must be after start", reading: ["start"])
            guard let promise = Promise(start: body.start, end: body.end) else { return }
            limits.check(promise, "", at: change.clock.now, &check)
        }
        guard let promise = Promise(start: body.start, end: body.end) else {
            throw Problem.malformed("end", "must be after start")
        }
        let reason = try body.reason?.reason()
        let (limits, now) = (placeOrder.limits, change.clock.now)
        return try await apply(request, context, by: principal, if: condition, reason: reason) { delivery in
            guard !limits.hasPassed(promise, for: delivery, at: now) else {
                throw Problem.malformed("end", "has passed; it was \(now.ISO8601Format()) when this was read")
            }
            return .promise(limits.exact(promise, for: delivery))
        }
    }

    /// Records the customer's word after the end, from the customer or from their shop.
    @Sendable func giveFeedback(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.customer, .store)
        let condition = try request.headers.ifMatch()
        let body = try await request.decode(as: GiveFeedbackBody.self) { body, check in
            let (kind, items) = (body.kind, body.items ?? [])
            check.require(items.count <= PlaceOrder.itemsMax, "items", "must be at most \(PlaceOrder.itemsMax)")
            check.require(
                kind.isProblem || items.isEmpty, "items", "must be absent where all is right", reading: ["kind"])
        }
        return try await apply(
            request, context, by: principal, if: condition, overtakesPress: body.kind.isProblem
        ) { delivery in
            // A press that waits to hand it over may be undone yet.
            guard delivery.status == .handedOver(.delivered) else {
                throw ChangeRefusal.notDelivered(delivery.status.code)
            }
            if case .store = principal.subject, !body.kind.isProblem, delivery.feedback?.kind.isProblem == true {
                throw ChangeRefusal.tooLate("the customer has a problem, which they or an operator end")
            }
            return .feedback(body.kind, items: body.items ?? [])
        }
    }

    @Sendable func setTrip(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .dispatcher)
        let condition = try request.headers.ifMatch()
        let body = try await request.decode(as: TripBody.self) {
            $1.require(TripBody.stopsBeforeRange.contains($0.stopsBefore), "stopsBefore", "must be 0 to 50")
            $1.reason($0.reason)
        }
        let reason = try body.reason?.reason()
        return try await apply(request, context, by: principal, if: condition, reason: reason) { _ in
            .stopsBefore(body.stopsBefore)
        }
    }

    // MARK: Shared by routes

    /// Makes one change and responds with the delivery after it, or with the expected delivery for a dry run.
    func apply(
        _ request: Request, _ context: AppContext, by principal: Principal, if condition: VersionCondition?,
        reason: String? = nil,
        describing description: Courier? = nil, overtakesPress: Bool = false,
        decide: @escaping @Sendable (Delivery) throws -> DeliveryChange
    ) async throws -> Response {
        let id = try context.path("id", as: DeliveryID.self)
        // A change is decided under the delivery's lock, so that the version cannot change between the check and it.
        @Sendable func decideIfCurrent(_ delivery: Delivery) throws -> DeliveryChange {
            try condition?.check(current: delivery.version)
            return try decide(delivery)
        }
        do {
            if try request.query("preview", as: BooleanParameter.self) == .true {
                let (outcome, former, next) = try await change.preview(
                    id, by: principal, overtakesPress: overtakesPress, decide: decideIfCurrent)
                return try preview(outcome, from: former, to: next, for: principal)
            }
            let outcome = try await change(
                id, by: principal, reason: reason, describing: description, overtakesPress: overtakesPress,
                decide: decideIfCurrent)
            await customerPacer.wait(for: outcome.record.delivery.customer)
            return try response(outcome, for: principal)
        } catch is PersonalDataBox.Unreadable {
            throw Problem.conflict(
                "the stored address cannot be opened; the log of orders names its key", slug: "drop-off-unreadable")
        }
    }
}

extension HTTPFields {
    /// The version that the caller has read; an operator must name it, whose form may be older than another's change.
    ///
    /// - Throws: ``Problem``, as ``ifMatch()`` and ``requiredIfMatch()`` do.
    func ifMatch(of principal: Principal) throws -> VersionCondition? {
        guard case .operator = principal.subject else { return try ifMatch() }
        return try requiredIfMatch()
    }
}
