import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import Messages
import NIOHTTP1
import OrderDomain

/// Previews and makes operators' changes at the services, in the operator's name.
struct ChangeFromDesk: Sendable {
    let services: ServiceClient

    /// The effect of a change, without making it.
    ///
    /// - Parameter isKnown: whether the form's courier needs no check by `orders`.
    /// - Throws: ``ServiceRefusal``, such as 412 where the delivery is another than the form's; ``ServiceUnavailable``.
    func preview(
        _ form: ChangeForm, of delivery: DeliveryID, isKnown: Bool = false, by user: DeskUser
    ) async throws -> PreviewBody {
        do {
            return try await send(form, of: delivery, isPreview: true, isKnown: isKnown, by: user, as: PreviewBody.self)
        } catch var outage as ServiceUnavailable {
            outage.mayBeDone = false
            throw outage
        }
    }

    /// Makes it.
    ///
    /// - Parameter isKnown: whether the form's courier needs no check by `orders`.
    /// - Returns: the delivery as it is then.
    func make(
        _ form: ChangeForm, of delivery: DeliveryID, isKnown: Bool = false, by user: DeskUser
    ) async throws -> DeliveryBody {
        try await send(form, of: delivery, isPreview: false, isKnown: isKnown, by: user, as: DeliveryBody.self)
    }

    /// Makes the reverse of a change, also where something else of the delivery has changed since, such as an estimate.
    ///
    /// - Parameter made: the change that it reverses.
    /// - Returns: the delivery as it is then.
    /// - Throws: ``ServiceRefusal``: 412 where the delivery has no longer what that change gave it;
    ///   ``ServiceUnavailable``.
    func reverse(
        _ made: ChangeForm, by form: ChangeForm, of delivery: DeliveryID, isKnown: Bool, by user: DeskUser
    ) async throws -> DeliveryBody {
        do {
            return try await make(form, of: delivery, isKnown: isKnown, by: user)
        } catch let refusal as ServiceRefusal where refusal.status == 412 {
            let present: DeliveryBody = try await services.get(.orders, "/v1/deliveries/\(delivery)", for: user)
            guard made.holds(in: present) else { throw refusal }
            return try await make(form.seeing(present.version), of: delivery, isKnown: isKnown, by: user)
        }
    }

    /// Exempts a courier from customers' maps, or ends the exemption.
    ///
    /// - Throws: ``ServiceRefusal``; ``ServiceUnavailable``.
    func set(isShownOnMaps isShown: Bool, of courier: CourierID, by user: DeskUser) async throws {
        let _: CourierMapBody = try await services.send(
            .PUT, .courierETA, "/v1/couriers/\(courier)/map", CourierMapBody(isShown: isShown), for: user)
    }

    /// The proposed trip of a courier with further deliveries, with every arrival.
    ///
    /// - Throws: ``ServiceRefusal``: 404 where none of the deliveries is live, and from a `courier-eta` before 0.29
    ///   where one is not; ``ServiceUnavailable``.
    func trip(
        of courier: CourierID, adding deliveries: [DeliveryID], by user: DeskUser
    ) async throws -> TripPreviewBody {
        let added = deliveries.map(\.rawValue).joined(separator: ",")
        return try await services.get(.courierETA, "/v1/couriers/\(courier)/trip?adding=\(added)", for: user)
    }

    /// Pushes the cards of a delivery's activity again, or ends them.
    ///
    /// - Returns: the number of those cards; nil where the delivery has no activity.
    /// - Throws: ``ServiceRefusal``; ``ServiceUnavailable``.
    func overrideCards(
        _ change: DeskChange, of delivery: DeliveryID, reason: String, by user: DeskUser
    ) async throws -> Int? {
        let body: ActivitiesBody = try await services.get(
            .activityDispatch, "/v1/activities?delivery=\(delivery)", for: user)
        guard let activity = body.activities.first.flatMap({ ActivityID(rawValue: $0.id) }) else { return nil }
        let overridden: OverriddenBody
        if change == .endCards {
            overridden = try await services.send(
                .POST, .activityDispatch, "/v1/activities/\(activity)/end-card", EndCardBody(reason: reason), for: user)
        } else {
            overridden = try await services.send(
                .POST, .activityDispatch, "/v1/activities/\(activity)/resend", ReasonBody(reason: reason), for: user)
        }
        return overridden.cards
    }

    private func send<Answer: Decodable & Sendable>(
        _ form: ChangeForm, of delivery: DeliveryID, isPreview: Bool, isKnown: Bool, by user: DeskUser,
        as type: Answer.Type
    ) async throws -> Answer {
        let path = "/v1/deliveries/\(delivery)"
        let reason = form.reason
        func send(
            _ method: HTTPMethod, _ part: String, _ body: some Encodable, parameters: [String] = []
        ) async throws -> Answer {
            let all = (isPreview ? ["preview=true"] : []) + parameters
            let query = all.isEmpty ? "" : "?" + all.joined(separator: "&")
            return try await services.send(
                method, .orders, path + part + query, body, version: form.version, for: user, as: Answer.self)
        }
        switch form.change {
        case .status(let status): return try await send(.POST, "/status", StatusBody(status: status, reason: reason))
        // courier-eta knows enrolled couriers, and orders the described ones and those with a delivery.
        case .courier(let courier, let stopsBefore):
            return try await send(
                .PUT, "/courier",
                AssignBody(courier: courier.map(AssignBody.Choice.known), reason: reason, stopsBefore: stopsBefore),
                parameters: isKnown ? ["unknown=true"] : [])
        case .hold: return try await send(.PUT, "/hold", HoldBody(reason: reason))
        case .release: return try await send(.DELETE, "/hold", HoldBody(reason: reason))
        case .promise(let promise):
            return try await send(
                .PUT, "/promise", PromiseBody(start: promise.start, end: promise.end, reason: reason))
        case .trip(let stops): return try await send(.PUT, "/trip", TripBody(stopsBefore: stops, reason: reason))
        case .item(let item, let status, let substitute):
            return try await send(
                .PATCH, "/items/\(item)",
                ItemBody(
                    status: status, substitute: substitute.map { ItemBody.SubstituteBody(name: $0) }, reason: reason))
        case .addItem(let name, let quantity, let itemClass):
            // One form adds an item once: the id is of the version that the form is about.
            guard let id = ItemID(rawValue: "added-\(form.version)") else { preconditionFailure("it is an identifier") }
            return try await send(
                .POST, "/items",
                AddItemsBody(
                    items: [.init(id: id, name: name, quantity: quantity, class: itemClass)], reason: reason))
        case .dropOff(let correction):
            return try await send(.PATCH, "/drop-off", DropOffBody(correction, reason: reason))
        case .recipient(let correction):
            return try await send(.PATCH, "/recipient", RecipientBody(correction, reason: reason))
        case .settleCorrection(let due):
            return try await send(.POST, "/correction-due", SettleCorrectionBody(settled: due, reason: reason))
        case .resend, .endCards: preconditionFailure("what is done to cards is not a change of the delivery")
        }
    }
}
