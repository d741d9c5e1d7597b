import CardPresentation
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime
import WebPages

/// Moving deliveries to a courier: the trip that results, before the change of several is made.
extension DeskHTTP {
    /// All live deliveries of a courier, with the couriers that they may go to.
    ///
    /// The page names goods that the customer has by the courier's word, and leaves them where they are.
    @Sendable func showMove(_ request: Request, _ context: AppContext) async throws -> Response {
        let courier = try context.path("id", as: CourierID.self)
        return try await signedIn(request, as: .dispatcher) { reader in
            let live = board.entries.map(\.row).filter { $0.courier == courier && $0.endedAt == nil }
                .sorted { ($0.promise.end, $0.id) < ($1.promise.end, $1.id) }
            let name = (live.first?.courierName ?? courier.rawValue).withoutDirectionControls
            let staying = live.stayingText(with: name)?.withoutDirectionControls
            let rows = live.filter { $0.handedOverAt == nil }
            guard !rows.isEmpty else {
                let why = staying ?? "\(courier) has no live delivery"
                return message(
                    .notFound, "There is nothing to move", "\(why).", reader: reader,
                    link: ("/couriers", "To the couriers"))
            }
            return await choosePage(
                .courier, rows.prefix(Self.deliveriesMax).map { PlannedChange($0.id, version: $0.version) },
                of: (courier, name, rows.count, staying), reason: "\(name) cannot go on", for: reader)
        }
    }

    /// Previews the moves of a form.
    func previewMoves(
        _ deliveries: [PlannedChange], _ fields: [String: String], _ attempts: BulkAttempts, for reader: SignedIn
    ) async throws -> Response {
        guard let courier = CourierID(rawValue: ChangeForm.courierText(fields)) else {
            return message(
                .unprocessableContent, "Choose a courier, or type the id", "Nothing was changed: choose who gets them.",
                reader: reader)
        }
        let trip: TripPreviewBody?
        do {
            trip = try await self.trip(of: courier, adding: deliveries.map(\.delivery), by: reader.user)
        } catch let refusal as ServiceRefusal where refusal.status == 400 {
            return message(.unprocessableContent, "Nothing was changed", refusal.description, reader: reader)
        }
        return await movePage(
            trip, deliveries, to: courier, reason: fields["reason"] ?? "", attempts, for: reader)
    }

    /// The preview of moves: each arrival, what becomes late and each card.
    ///
    /// - Parameter trip: the proposed one; nil where the order of stops is not known.
    func movePage(
        _ trip: TripPreviewBody?, _ deliveries: [PlannedChange], to courier: CourierID, reason: String,
        _ attempts: BulkAttempts, for reader: SignedIn
    ) async -> Response {
        var attempts = attempts
        let isKnown = await readCouriers.knows(courier, for: reader.user)
        let versions = Dictionary(deliveries.map { ($0.delivery, $0.version) }) { $1 }
        // A trip of other versions has former couriers of then, to whom an undo would give the deliveries.
        let trip = trip.flatMap { trip in
            trip.stops.allSatisfy { versions[$0.delivery] ?? $0.version == $0.version } ? trip : nil
        }
        let plans =
            trip.map { PlannedMove.moves(of: $0, versions: versions).map(PlannedChange.init) }
            ?? unordered(deliveries, to: courier)
        var outcomes: [DeliveryID: BulkOutcome] = [:]
        for plan in plans {
            outcomes[plan.delivery] = await previewed(
                .courier, plan, reason: reason, isKnown: isKnown, &attempts, by: reader.user)
        }
        let open = plans.filter { outcomes[$0.delivery]?.isFault == false }
        let values: [String: Any] = [
            "summary": trip.map(\.summary) ?? "The order of stops is not known; each counts as the next.",
            "count": open.count, "deliveries": open.map { ["value": $0.text] },
        ]
        let refused = (trip?.notLive ?? []).map { delivery in
            BulkOutcome(
                delivery: delivery, text: "not done: it has ended, or courier-eta does not know it", isFault: true)
        }
        let lines: [BulkOutcome] =
            trip.map { trip in
                trip.stops.map { stop in
                    let outcome = outcomes[stop.delivery]
                    return BulkOutcome(
                        delivery: stop.delivery, order: stop.orderText,
                        text: "\(stop.arrivalText(now: clock.now)); \(outcome?.text ?? "its card stays as it is")",
                        isFault: outcome?.isFault ?? false)
                }
            } ?? plans.compactMap { outcomes[$0.delivery] }
        return bulkPage(.courier, refused + lines, values, reason: reason, for: reader)
    }

    /// The proposed trip; nil where this operator gets none, and where `courier-eta` does not answer.
    func trip(
        of courier: CourierID, adding deliveries: [DeliveryID], by user: DeskUser
    ) async throws -> TripPreviewBody? {
        do {
            return try await change.trip(of: courier, adding: deliveries, by: user)
        } catch let refusal as ServiceRefusal where refusal.status == 404 {
            return nil
        } catch is ServiceUnavailable {
            return nil
        }
    }

    /// The changes where the order of stops is not known; without a way back where the board has another version, whose
    /// courier may be another one.
    private func unordered(_ deliveries: [PlannedChange], to courier: CourierID) -> [PlannedChange] {
        let target = PlannedMove.Place(courier: courier, stopsBefore: nil)
        return deliveries.map { one in
            guard let row = board.entry(of: one.delivery)?.row, row.version == one.version else {
                return PlannedChange(one.delivery, version: one.version, fields: target.fields)
            }
            let former = PlannedMove.Place(courier: row.courier, stopsBefore: nil)
            return PlannedChange(PlannedMove(one.delivery, version: one.version, to: target, from: former))
        }
    }
}
