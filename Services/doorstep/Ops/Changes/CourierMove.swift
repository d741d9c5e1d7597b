import CommandOutput
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import NIOHTTP1
import OrderDomain
import StackClient

/// Moves deliveries to a courier as one action, in the proposed order of the courier's stops.
struct CourierMove: Sendable {
    let orders: PeerClient
    let courierETA: PeerClient
    let clock: DomainClock

    /// One change of the move; its description names it in a failure.
    private struct Change: CustomStringConvertible, Sendable {
        let order: String
        let move: PlannedMove

        var description: String { order.safeOnTerminal }
    }

    /// The live deliveries of a courier, without goods that the customer has by the courier's word: no other courier
    /// fetches these, and they are named on standard error.
    ///
    /// - Throws: `CommandFailure` of kind not found where there are none, of kind conflict where all are handed over.
    func deliveries(of courier: CourierID) async throws -> [DeliveryID] {
        var query = BoardQuery(courier: courier.rawValue, limit: BoardQuery.pageMax)
        var live: [BoardBody.Row] = []
        repeat {
            let page: BoardBody = try await orders.get("/v1/deliveries", query: query.items)
            live += page.deliveries.filter { $0.endedAt == nil }
            query.cursor = page.next
        } while query.cursor != nil
        guard !live.isEmpty else { throw CommandFailure(.notFound, "\(courier) has no live delivery") }
        let ids = live.filter { $0.handedOverAt == nil }.map(\.id)
        if let staying = live.stayingText(with: courier.rawValue)?.safeOnTerminal {
            guard !ids.isEmpty else { throw CommandFailure(.conflict, "there is nothing to move: \(staying)") }
            CommandFailure.complain(staying)
        }
        return ids
    }

    /// The trip that results from the move, with every arrival; nothing changes.
    func plan(_ deliveries: [DeliveryID], to courier: CourierID) async throws -> TripPreviewBody {
        try await courierETA.get(
            "/v1/couriers/\(courier)/trip",
            query: [("adding", deliveries.map(\.rawValue).joined(separator: ","))])
    }

    /// Whether an order of stops is proposed to the operator: not to one of a single store, who moves each by itself.
    func mayPlan(for courier: CourierID) async throws -> Bool {
        do {
            _ = try await plan([], to: courier)
            return true
        } catch let failure as CommandFailure where failure.kind == .notFound {
            return false
        }
    }

    /// Makes one change of a move; without an answer it is made where the delivery has the new courier.
    ///
    /// - Returns: the delivery after it.
    func make(_ move: PlannedMove, reason: String) async throws -> DeliveryBody {
        do {
            return try await send(move, reason: reason, query: [], as: DeliveryBody.self)
        } catch let failure as CommandFailure where failure.mayBeDone {
            // Where it is not moved, not yet, or that cannot be read, the failure names the command that shows it.
            guard let present = try? await orders.get("/v1/deliveries/\(move.delivery)", as: DeliveryBody.self),
                present.version > move.version, present.courier?.id == move.target.courier,
                move.target.stopsBefore.map({ $0 == present.stopsBefore }) ?? true
            else { throw failure.unanswered(shownBy: "doorstep ops show \(move.delivery)", isAfterOthers: false) }
            return present
        }
    }

    /// Prints the trip that results, with every arrival and each card that changes, and then makes the changes.
    ///
    /// - Throws: `CommandFailure` of the first failed change, after the others; of kind conflict where a delivery is no
    ///   longer live or its change is refused in the preview, after the move of the others.
    func run(_ deliveries: [DeliveryID], to courier: CourierID, reason: String, dryRun: Bool) async throws {
        let proposal = try await propose(deliveries, to: courier, reason: reason)
        let (trip, refusals) = (proposal.trip, proposal.refusals)
        let moves = PlannedMove.moves(of: trip).filter { refusals[$0.delivery] == nil }
        let now = clock.now
        let rows = trip.stops.map { stop in
            [
                "\(stop.stopsBefore + 1)", stop.orderText, stop.arrivalText(now: now),
                proposal.cards[stop.delivery] ?? "as it is",
            ]
        }
        Table(["STOP", "ORDER", "ARRIVAL", "CARD"], rows).lines.forEach { writeLine($0) }
        writeLine((dryRun ? "would move " : "moving ") + trip.summary.safeOnTerminal)
        Self.report(refusals)
        let notAll = refusals.isEmpty ? nil : CommandFailure(.conflict, "not all of them could be done")
        if dryRun {
            if let notAll { throw notAll }
            return
        }
        let names = Dictionary(uniqueKeysWithValues: trip.stops.map { ($0.delivery, $0.orderText) })
        let changes = moves.map { Change(order: names[$0.delivery] ?? $0.delivery.rawValue, move: $0) }
        // A signal would end the process before the way back is printed.
        try await untilInterrupted { try await make(changes, for: courier, reason: reason) }
        if let notAll { throw notAll }
    }

    /// Makes the changes one after the other until it is cancelled, and prints the way back of those that are made.
    private func make(_ changes: [Change], for courier: CourierID, reason: String) async throws {
        var made: [PlannedMove] = []
        defer { Self.undoCommands(of: made).forEach { writeLine("undo: \($0)") } }
        try await forEachReportingFailures(changes) { change in
            try Task.checkCancellation()
            do {
                let body = try await make(change.move, reason: reason)
                writeLine("\(change): given to \(courier), now \(body.status.text), version \(body.version)")
                made.append(change.move)
            } catch let error where Task.isCancelled {
                // Written here, since the command ends as interrupted, without this failure.
                writeError("\(change): \(Self.outcome(of: change.move.delivery, after: error))")
                throw CancellationError()
            }
        }
    }

    /// The result of a delivery's change that failed while the move was interrupted.
    static func outcome(of delivery: DeliveryID, after error: any Error) -> String {
        if let failure = error as? CommandFailure, !failure.mayBeDone { return failure.message }
        return "the change may have been made: see `doorstep ops show \(delivery)`"
    }

    /// A proposed trip with the card of each stop that changes, and why deliveries are not moved.
    private struct Proposal {
        let trip: TripPreviewBody
        let cards: [DeliveryID: String]
        let refusals: [DeliveryID: String]
    }

    /// Proposes the trip again without each delivery whose change `orders` refuses, such as one that ended before
    /// `courier-eta` read its end: it would count as a stop before the others.
    ///
    /// - Throws: `CommandFailure` of kind conflict where none is left, with each refusal on standard error.
    private func propose(
        _ deliveries: [DeliveryID], to courier: CourierID, reason: String
    ) async throws -> Proposal {
        var rest = deliveries
        var refusals: [DeliveryID: String] = [:]
        while true {
            let trip = try await plan(rest, to: courier)
            for delivery in trip.notLive ?? [] { refusals[delivery] = "it has ended, or courier-eta does not know it" }
            rest.removeAll { refusals[$0] != nil }
            var cards: [DeliveryID: String] = [:]
            for move in PlannedMove.moves(of: trip) where refusals[move.delivery] == nil {
                do {
                    cards[move.delivery] = try await card(after: move, reason: reason)
                } catch let failure as CommandFailure where failure.kind == .conflict && rest.contains(move.delivery) {
                    // An own stop that cannot have its new place leaves no trip to propose.
                    refusals[move.delivery] = failure.message
                }
            }
            let kept = rest.filter { refusals[$0] == nil }
            if kept.count == rest.count { return Proposal(trip: trip, cards: cards, refusals: refusals) }
            guard !kept.isEmpty else {
                Self.report(refusals)
                throw CommandFailure(.conflict, "none of them can be moved")
            }
            rest = kept
        }
    }

    private static func report(_ refusals: [DeliveryID: String]) {
        for (delivery, refusal) in refusals.sorted(by: { $0.key < $1.key }) {
            writeError("\(delivery) is not moved: \(refusal)")
        }
    }

    private func card(after move: PlannedMove, reason: String) async throws -> String {
        let preview = try await send(move, reason: reason, query: [("preview", "true")], as: PreviewBody.self).activity
        return Words(locale: "en").headline(
            preview.content, preview.attributes, now: Int(clock.now.timeIntervalSince1970))
    }

    private func send<Answer: Decodable & Sendable>(
        _ move: PlannedMove, reason: String, query: [(name: String, value: String?)], as type: Answer.Type
    ) async throws -> Answer {
        let body = AssignBody(
            courier: move.target.courier.map(AssignBody.Choice.known), reason: reason,
            stopsBefore: move.target.courier == nil ? nil : move.target.stopsBefore)
        // The id was checked against the couriers of courier-eta, which knows enrolled ones too.
        return try await orders.send(
            .PUT, "/v1/deliveries/\(move.delivery)/courier", query: query + [("unknown", "true")], body: body,
            headers: ["If-Match": "\"v\(move.version)\""], as: Answer.self
        ).body
    }

    /// The commands that move deliveries back: one for each delivery of a former courier, since several at once would get
    /// proposed places between that courier's other stops; and one for each stop whose place these do not restore.
    static func undoCommands(of moves: [PlannedMove]) -> [String] {
        let added = Dictionary(grouping: moves.filter { $0.target.courier != $0.former.courier }, by: \.former.courier)
        let back = added.sorted { ($0.key?.rawValue ?? "") < ($1.key?.rawValue ?? "") }.flatMap {
            (former, moves) -> [String] in
            guard let former else {
                let ids = moves.map(\.delivery.rawValue).joined(separator: " ")
                return ["doorstep ops assign \(ids) --nobody --reason undo"]
            }
            // A delivery that is given alone gets no stop before it. The former courier may be in no directory.
            return moves.map { "doorstep ops assign \($0.delivery) --courier \(former) --unknown --reason undo" }
                + moves.filter { $0.former.stopsBefore != 0 }.compactMap(tripCommand)
        }
        return back + moves.filter { $0.target.courier == $0.former.courier }.compactMap(tripCommand)
    }

    /// The command that gives a delivery its former place on its trip; nil where that is not known.
    private static func tripCommand(_ move: PlannedMove) -> String? {
        move.former.stopsBefore.map { "doorstep ops trip \(move.delivery) --stops-before \($0)" }
    }
}

extension CourierMove {
    /// - Throws: `CommandFailure` where a token's file cannot be read, or an address is none.
    init() async throws {
        self.init(
            orders: try PeerClient(.orders, as: .operator), courierETA: try PeerClient(.courierETA, as: .operator),
            clock: try await Stack().clock())
    }
}
