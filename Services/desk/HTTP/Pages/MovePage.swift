import CardPresentation
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import LiveActivity
import OrderDomain
import ServiceRuntime
import WebPages

/// Moving deliveries to a courier as one action: the trip that results, then the changes, then the way back.
extension DeskHTTP {
    /// All live deliveries of a courier, with the couriers that they may go to.
    @Sendable func showMove(_ request: Request, _ context: AppContext) async throws -> Response {
        let courier = try context.path("id", as: CourierID.self)
        return try await signedIn(request, as: .dispatcher) { reader in
            let rows = board.entries.map(\.row).filter { $0.courier == courier && $0.endedAt == nil }
                .sorted { ($0.promise.end, $0.id) < ($1.promise.end, $1.id) }
            guard let first = rows.first else {
                return message(
                    .notFound, "There is nothing to move", "\(courier) has no live delivery.", reader: reader,
                    link: ("/couriers", "To the couriers"))
            }
            let name = (first.courierName ?? courier.rawValue).withoutDirectionControls
            func rank(_ row: CouriersBody.Row) -> (Int, Int, CourierID) {
                (row.onDuty ? 0 : 1, row.deliveries, row.courier)
            }
            let others = await readCouriers.choices(for: reader.user).filter { $0.courier != courier }
                .sorted { rank($0) < rank($1) }
            let values: [String: Any] = [
                "name": name, "count": rows.count, "reason": "\(name) cannot go on", "isEmpty": others.isEmpty,
                "deliveries": rows.prefix(Self.deliveriesMax).map { row in
                    ["value": "\(row.id) \(row.version)", "order": row.orderText, "status": row.statusText]
                },
                "couriers": others.map {
                    ["value": $0.courier.rawValue, "text": $0.choiceText.withoutDirectionControls]
                },
            ]
            return .page(
                DeskPage.html("move", values, title: "Give away what \(name) has", tab: .couriers, for: reader))
        }
    }

    /// Previews or makes the moves of a form.
    ///
    /// - Parameter chosen: the form's deliveries: as the board names them before the preview, then as ``PlannedMove/text``.
    func move(_ chosen: [String], _ fields: [String: String], for reader: SignedIn) async throws -> Response {
        guard reader.user.may(.dispatcher) else { throw Problem.scopeTooNarrow(.dispatcher) }
        switch fields["step"] {
        case "commit": return try await makeMoves(chosen, fields, for: reader)
        case "undo": return try await makeMoves(chosen, fields, isUndo: true, for: reader)
        default: return try await previewMoves(chosen, fields, for: reader)
        }
    }

    // MARK: Preview

    private func previewMoves(
        _ chosen: [String], _ fields: [String: String], for reader: SignedIn
    ) async throws -> Response {
        let deliveries = chosen.compactMap(Chosen.init)
        guard !deliveries.isEmpty, deliveries.count == chosen.count, deliveries.count <= Self.deliveriesMax else {
            return nothingChosen(reader)
        }
        guard let courier = CourierID(rawValue: fields["courier"] ?? "") else {
            return message(
                .unprocessableContent, "Choose a courier", "Nothing was changed: choose who gets them.", reader: reader)
        }
        let isKnown = await readCouriers.knows(courier, for: reader.user)
        let versions = Dictionary(deliveries.map { ($0.id, $0.version) }) { $1 }
        let trip = try await trip(of: courier, adding: deliveries.map(\.id), by: reader.user)
        let moves = trip.map { PlannedMove.moves(of: $0, versions: versions) } ?? unordered(deliveries, to: courier)
        var outcomes: [DeliveryID: (text: String, isFault: Bool)] = [:]
        for move in moves {
            outcomes[move.delivery] = await preview(
                move, reason: fields["reason"] ?? "", isKnown: isKnown, by: reader.user)
        }
        let shown = trip?.stops.map(\.delivery) ?? moves.map(\.delivery)
        let arrivals = Dictionary(uniqueKeysWithValues: (trip?.stops ?? []).map { ($0.delivery, $0) })
        let lines: [[String: Any]] = shown.map { id in
            let (card, isFault) = outcomes[id] ?? ("its card stays as it is", false)
            let arrival = arrivals[id].map { $0.arrivalText(now: clock.now) + "; " } ?? ""
            return [
                "id": id.rawValue, "order": arrivals[id]?.orderText ?? orderText(of: id), "text": arrival + card,
                "isFault": isFault,
            ]
        }
        let open = moves.filter { outcomes[$0.delivery]?.isFault == false }
        var values = moveValues(lines, reason: fields["reason"] ?? "")
        values["summary"] = trip.map(\.summary) ?? "The order of stops is not known; each counts as the next."
        values["count"] = open.count
        if !open.isEmpty { values["deliveries"] = open.map { ["value": $0.text] } }
        return page(values, for: reader)
    }

    /// The proposed trip; nil where this operator gets none, and where `courier-eta` does not answer.
    private func trip(
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

    private func unordered(_ deliveries: [Chosen], to courier: CourierID) -> [PlannedMove] {
        deliveries.map { one in
            PlannedMove(
                one.id, version: one.version, to: .init(courier: courier, stopsBefore: nil),
                from: .init(courier: board.entry(of: one.id)?.row.courier, stopsBefore: nil))
        }
    }

    /// The first line of the delivery's card after the move, or why it cannot be made.
    private func preview(
        _ move: PlannedMove, reason: String, isKnown: Bool, by user: DeskUser
    ) async -> (text: String, isFault: Bool) {
        await outcome(of: move, reason: reason) { form in
            let preview = try await change.preview(form, of: move.delivery, isKnown: isKnown, by: user)
            let card = Words(locale: "en").headline(
                preview.activity.content, preview.activity.attributes, now: Int(clock.now.timeIntervalSince1970))
            return "its card: “\(card.withoutDirectionControls)”" + (preview.alert == nil ? "" : "; phones announce it")
        }
    }

    // MARK: Commit

    /// - Parameter isUndo: whether the moves give deliveries back to their former couriers, who need no check.
    private func makeMoves(
        _ chosen: [String], _ fields: [String: String], isUndo: Bool = false, for reader: SignedIn
    ) async throws -> Response {
        let moves = chosen.compactMap(PlannedMove.init)
        guard !moves.isEmpty, moves.count == chosen.count, moves.count <= 2 * Self.deliveriesMax else {
            return nothingChosen(reader)
        }
        var known: Set<CourierID> = []
        for courier in Set(moves.compactMap(\.target.courier)) {
            var isKnown = isUndo
            if !isUndo { isKnown = await readCouriers.knows(courier, for: reader.user) }
            if isKnown { known.insert(courier) }
        }
        let reason = fields["reason"] ?? ""
        var lines: [[String: Any]] = []
        var undone: [PlannedMove] = []
        for move in moves {
            let isKnown = move.target.courier.map { known.contains($0) } ?? false
            let (text, isFault) = await outcome(of: move, reason: reason) { form in
                let body = try await change.make(form, of: move.delivery, isKnown: isKnown, by: reader.user)
                undone.append(move.undone(at: body.version))
                board.wake(move.delivery)
                return "done; it is at version \(body.version)"
            }
            lines.append([
                "id": move.delivery.rawValue, "order": orderText(of: move.delivery), "text": text, "isFault": isFault,
            ])
        }
        var values = moveValues(lines, reason: reason)
        values["isDone"] = true
        values["hasUndo"] = !undone.isEmpty
        values["undo"] = undone.map { ["value": $0.text] }
        return page(values, for: reader)
    }

    private func outcome(
        of move: PlannedMove, reason: String, _ body: (ChangeForm) async throws -> String
    ) async -> (text: String, isFault: Bool) {
        do {
            let fields = move.fields.merging(["reason": reason]) { $1 }
            return (try await body(try ChangeForm(.courier, fields, timeZone: .gmt)), false)
        } catch let fault as ChangeForm.Fault {
            return (fault.text, true)
        } catch let refusal as ServiceRefusal where refusal.status == 412 {
            return ("not done: it has changed since the board showed it", true)
        } catch {
            return ("not done: \(error)", true)
        }
    }

    // MARK: Page

    private func nothingChosen(_ reader: SignedIn) -> Response {
        message(
            .unprocessableContent, "Choose deliveries first",
            "Nothing was changed: choose 1 to \(Self.deliveriesMax) deliveries on the board.", reader: reader)
    }

    private func orderText(of delivery: DeliveryID) -> String {
        board.entry(of: delivery)?.row.orderText ?? delivery.rawValue
    }

    private func moveValues(_ lines: [[String: Any]], reason: String) -> [String: Any] {
        [
            "title": "Give to a courier", "lines": lines, "isDone": false, "kind": DeskChange.Kind.courier.rawValue,
            "reason": reason,
        ]
    }

    private func page(_ values: [String: Any], for reader: SignedIn) -> Response {
        .page(DeskPage.html("bulk", values, title: "Give to a courier", tab: .now, for: reader))
    }
}
