import DoorstepAPI
import Hummingbird
import OrderDomain
import ServiceRuntime

/// Correcting placed deliveries: the door, the address, the recipient, the note, and further items.
extension OrdersHTTP {
    @Sendable func correctDropOff(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .dispatcher)
        let condition = try request.headers.ifMatch(of: principal)
        let body = try await request.decode(as: DropOffBody.self) { body, check in
            check.reason(body.reason)
            body.correction.check(&check)
        }
        return try await correct(
            body.correction, request, context, by: principal, if: condition, reason: try body.reason?.reason())
    }

    @Sendable func correctRecipient(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .dispatcher)
        let condition = try request.headers.ifMatch(of: principal)
        let body = try await request.decode(as: RecipientBody.self) { body, check in
            check.reason(body.reason)
            body.correction.check(below: "recipient.", &check)
        }
        return try await correct(
            body.correction, request, context, by: principal, if: condition, reason: try body.reason?.reason())
    }

    @Sendable func addItems(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .dispatcher)
        let condition = try request.headers.ifMatch()
        let body = try await request.decode(as: AddItemsBody.self) { body, check in
            check.reason(body.reason)
            PlaceOrder.check(body.items, "items", &check)
        }
        return try await apply(
            request, context, by: principal, if: condition, reason: try body.reason?.reason(), overtakesPress: true
        ) { delivery in
            // Further items require what they would have required in the order.
            let items = delivery.lacking(body.items.map { placeOrder.item($0, at: delivery.store.id) })
            guard delivery.items.count + items.count <= PlaceOrder.itemsMax else {
                throw ChangeRefusal.tooManyItems(PlaceOrder.itemsMax)
            }
            var check = BodyCheck()
            placeOrder.checkPINs(items.flatMap { $0.requires ?? [] }, "items", &check)
            guard check.errors.isEmpty else { throw Problem.malformed(check.errors) }
            return .addItems(items)
        }
    }

    @Sendable func settleCorrection(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .dispatcher)
        let condition = try request.headers.ifMatch()
        let body = try await request.decode(as: SettleCorrectionBody.self) { $1.reason($0.reason) }
        let reason = try body.reason?.reason()
        return try await apply(request, context, by: principal, if: condition, reason: reason) { _ in
            .settleCorrection(body.settled)
        }
    }

    private func correct(
        _ correction: DropOffCorrection, _ request: Request, _ context: AppContext, by principal: Principal,
        if condition: VersionCondition?, reason: String?
    ) async throws -> Response {
        let limits = placeOrder.limits
        return try await apply(
            request, context, by: principal, if: condition, reason: reason, overtakesPress: correction.door != nil
        ) { delivery in
            if let door = correction.door {
                var check = BodyCheck()
                limits.check(door, of: delivery.store.location, &check)
                guard check.errors.isEmpty else { throw Problem.malformed(check.errors) }
            }
            return .correct(correction)
        }
    }
}
