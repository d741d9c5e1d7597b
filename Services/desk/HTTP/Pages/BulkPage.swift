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
import TimePresentation
import WebPages

/// The pages of a bulk change: the expected effect on each delivery, then the outcome, with an undo.
extension DeskHTTP {
    /// Deliveries of one form; each is asked about by itself.
    static let deliveriesMax = 100

    @Sendable func bulk(_ request: Request, _ context: AppContext) async throws -> Response {
        try await posting(request) { reader, fields, chosen in
            let attempts = BulkAttempts(now: wallNow, isUndo: fields["step"] == "undo")
            let changes = chosen.compactMap(PlannedChange.init)
            let isPlanned = fields["step"] == "commit" || fields["step"] == "undo"
            // A move changes own stops of the receiving courier, too.
            guard !changes.isEmpty, changes.count == chosen.count,
                changes.count <= (isPlanned ? 2 : 1) * Self.deliveriesMax
            else {
                return message(
                    .unprocessableContent, "Choose deliveries first",
                    "Nothing was changed: choose 1 to \(Self.deliveriesMax) deliveries on the board.", reader: reader)
            }
            if fields["kind"] == "own" { return try await own(changes, for: reader) }
            guard let kind = fields["kind"].flatMap(DeskChange.Kind.init),
                kind.isOfSeveral || isPlanned && kind.isOfBags
            else { throw Problem.malformed("kind", "is none that several deliveries have") }
            guard reader.user.may(kind.neededScope) else { throw Problem.scopeTooNarrow(kind.neededScope) }
            if isPlanned { return try await make(kind, changes, fields, attempts, for: reader) }
            switch kind {
            case .courier where fields["courier"]?.isEmpty == false:
                return try await previewMoves(changes, fields, attempts, for: reader)
            case .promise where fields["window"] != nil, .status where fields["status"] != nil, .hold, .release,
                .resend:
                return try await preview(kind, changes, fields, attempts, for: reader)
            case .courier, .promise, .status, .trip, .item, .addItem, .dropOff, .recipient, .settleCorrection,
                .endCards:
                return await choosePage(kind, changes, reason: fields["reason"] ?? "", for: reader)
            }
        }
    }

    // MARK: Preview

    private func preview(
        _ kind: DeskChange.Kind, _ changes: [PlannedChange], _ fields: [String: String], _ attempts: BulkAttempts,
        for reader: SignedIn
    ) async throws -> Response {
        var attempts = attempts
        var outcomes: [BulkOutcome] = []
        var open: [PlannedChange] = []
        for change in changes {
            let plan: PlannedChange
            switch makePlan(kind, change, fields) {
            case .success(let planned): plan = planned
            case .failure(let fault):
                outcomes.append(BulkOutcome(delivery: change.delivery, text: fault.text, isFault: true))
                continue
            }
            let outcome = await previewed(
                kind, plan, reason: fields["reason"] ?? "", isKnown: false, &attempts, by: reader.user)
            outcomes.append(outcome)
            if !outcome.isFault { open.append(plan) }
        }
        return bulkPage(
            kind, outcomes, ["count": open.count, "deliveries": open.map { ["value": $0.text] }],
            reason: fields["reason"] ?? "", for: reader)
    }

    /// The change of one delivery by what was chosen for all, with its way back.
    private func makePlan(
        _ kind: DeskChange.Kind, _ change: PlannedChange, _ fields: [String: String]
    ) -> Result<PlannedChange, ChangeForm.Fault> {
        func planned(_ fields: [String: String], former: [String: String]?) -> PlannedChange {
            PlannedChange(change.delivery, version: change.version, fields: fields, former: former)
        }
        if kind == .hold || kind == .release {
            // A hold's way back compares its reason.
            let own = kind == .hold ? ["reason": fields["reason"] ?? ""] : [:]
            guard let row = board.entry(of: change.delivery)?.row, kind == .hold || row.version >= change.version else {
                // The hold at that version is not known, so there is no way back to it.
                return .success(planned(own, former: nil))
            }
            guard row.version == change.version else {
                return .failure(.init(field: "version", text: Self.changedMeanwhile))
            }
            guard kind == .release || !row.flags.contains(.onHold) else {
                return .failure(.init(field: "kind", text: "not done: it is on hold already, and keeps its reason"))
            }
            return .success(planned(own, former: ChangeForm.fields(ofHold: row.holdReason)))
        }
        guard kind == .promise else {
            let own = kind == .status ? fields.filter { $0.key == "status" } : [:]
            return .success(planned(own, former: nil))
        }
        guard let choice = fields["window"].flatMap(PromiseChoice.init) else {
            return .failure(.init(field: "window", text: "Choose a window."))
        }
        guard let row = board.entry(of: change.delivery)?.row, row.version == change.version else {
            return .failure(.init(field: "version", text: Self.changedMeanwhile))
        }
        guard let promise = choice.promise(inPlaceOf: row.promise, estimate: row.estimate, now: clock.now) else {
            let text =
                switch choice {
                case .expected: row.estimate == nil ? "there is no estimate" : "its expected arrival has passed"
                case .later: "that window would be over"
                }
            return .failure(.init(field: "window", text: "not done: \(text)"))
        }
        return .success(planned(ChangeForm.fields(of: promise), former: ChangeForm.fields(of: row.promise)))
    }

    /// The first line of the delivery's card after the change, or why it cannot be made.
    ///
    /// - Parameter isKnown: whether the change's courier needs no check by `orders`.
    func previewed(
        _ kind: DeskChange.Kind, _ plan: PlannedChange, reason: String, isKnown: Bool,
        _ attempts: inout BulkAttempts, by user: DeskUser
    ) async -> BulkOutcome {
        await outcome(of: kind, plan, reason: reason, isPreview: true, &attempts) { form in
            guard kind.changesDelivery else { return ("its cards are sent again", false) }
            let preview = try await change.preview(form, of: plan.delivery, isKnown: isKnown, by: user)
            guard preview.changes else { return ("that changes nothing", true) }
            let card = Words(locale: "en").headline(
                preview.activity.content, preview.activity.attributes, now: Int(clock.now.timeIntervalSince1970))
            let alert = preview.alert == nil ? "" : "; phones announce it"
            return ("its card: “\(card.withoutDirectionControls)”\(alert)\(doubt(form, of: plan.delivery))", false)
        }
    }

    /// Why a window cannot be kept, by the board's estimate, after a semicolon; empty for one that may be, and for
    /// another change.
    private func doubt(_ form: ChangeForm, of delivery: DeliveryID) -> String {
        guard case .promise(let promise) = form.change, let row = board.entry(of: delivery)?.row,
            let doubt = PromiseDoubt(promise, estimate: row.estimate, now: clock.now)
        else { return "" }
        return "; " + doubt.text(StoreTimes([row], now: clock.now))
    }

    // MARK: Commit

    private func make(
        _ kind: DeskChange.Kind, _ plans: [PlannedChange], _ fields: [String: String], _ attempts: BulkAttempts,
        for reader: SignedIn
    ) async throws -> Response {
        var attempts = attempts
        // Former couriers need no check: nothing may be left by which courier-eta would know them.
        let isUndo = fields["step"] == "undo"
        var known: Set<String> = []
        for text in Set(plans.compactMap { $0.fields["courier"] }) {
            guard let courier = CourierID(rawValue: text) else { continue }
            var isKnown = isUndo
            if !isUndo { isKnown = await readCouriers.knows(courier, for: reader.user) }
            if isKnown { known.insert(text) }
        }
        let reason = fields["reason"] ?? ""
        var outcomes: [BulkOutcome] = []
        var undone: [PlannedChange] = []
        for plan in plans {
            let isKnown = plan.fields["courier"].map(known.contains) ?? false
            let outcome = await outcome(of: kind, plan, reason: reason, isPreview: false, &attempts) { form in
                let (outcome, body) = try await make(
                    form, plan, isUndo: isUndo, isKnown: isKnown, reason: reason, by: reader.user)
                if !isUndo, let undo = body.flatMap({ plan.undone(at: $0.version) }) { undone.append(undo) }
                return outcome
            }
            outcomes.append(outcome)
            // The way back of a delivery is nowhere but in this form.
            if isUndo && outcome.isStillToDo { undone.append(plan) }
        }
        var values: [String: Any] = ["isDone": true, "hasUndo": !undone.isEmpty, "isRest": isUndo]
        values["undo"] = undone.map { ["value": $0.text] }
        values["reverse"] = isUndo ? kind.rawValue : kind.reverse?.rawValue
        return bulkPage(kind, outcomes, values, reason: reason, for: reader)
    }

    /// Makes one planned change of a delivery or of its cards, or undoes it.
    ///
    /// - Returns: the outcome, and the delivery after it; nil for a change of cards.
    private func make(
        _ form: ChangeForm, _ plan: PlannedChange, isUndo: Bool, isKnown: Bool, reason: String, by user: DeskUser
    ) async throws -> (outcome: (text: String, isFault: Bool), delivery: DeliveryBody?) {
        let kind = form.change.kind
        guard kind.changesDelivery else {
            let cards = try await change.overrideCards(
                form.change, of: plan.delivery, reason: form.reason, by: user)
            let fault = Self.fault(ofCards: cards)
            return ((fault ?? "\(cards ?? 0) cards are sent again", fault != nil), nil)
        }
        let body =
            if isUndo, let reversed = kind.reverse, let fields = plan.former {
                try await change.reverse(
                    try Self.form(reversed, fields, of: form.version, reason), by: form, of: plan.delivery,
                    isKnown: isKnown, by: user)
            } else {
                try await change.make(form, of: plan.delivery, isKnown: isKnown, by: user)
            }
        board.wake(plan.delivery)
        let isFinal = !isUndo && kind.reverse != nil && plan.former == nil
        return (("done; it is at version \(body.version)\(isFinal ? ", and has no undo here" : "")", false), body)
    }

    private static let changedMeanwhile = "not done: it has changed since the board showed it"

    private func outcome(
        of kind: DeskChange.Kind, _ plan: PlannedChange, reason: String, isPreview: Bool,
        _ attempts: inout BulkAttempts, _ body: (ChangeForm) async throws -> (text: String, isFault: Bool)
    ) async -> BulkOutcome {
        func result(
            _ text: String, isFault: Bool, isUnanswered: Bool = false, isRefusedForNow: Bool = false
        ) -> BulkOutcome {
            BulkOutcome(
                delivery: plan.delivery, text: text, isFault: isFault, isUnanswered: isUnanswered,
                isRefusedForNow: isRefusedForNow)
        }
        if let end = attempts.end { return result(end, isFault: true, isUnanswered: true) }
        do {
            let (text, isFault) = try await body(try Self.form(kind, plan.fields, of: plan.version, reason))
            attempts.note(isAnswered: true)
            return result(text, isFault: isFault)
        } catch let fault as ChangeForm.Fault {
            return result(fault.text, isFault: true)
        } catch let outage as ServiceUnavailable {
            attempts.note(isAnswered: false)
            guard !isPreview, outage.mayBeDone else {
                return result("not done: \(outage)", isFault: true, isUnanswered: true)
            }
            board.wake(plan.delivery)
            return result(
                "may have been made: \(outage). Open it before you do it again", isFault: true, isUnanswered: true)
        } catch {
            attempts.note(isAnswered: true)
            let status = (error as? ServiceRefusal)?.status ?? 0
            return result(
                status == 412 ? Self.changedMeanwhile : "not done: \(error)", isFault: true,
                isRefusedForNow: status == 429 || status >= 500)
        }
    }

    private static func form(
        _ kind: DeskChange.Kind, _ fields: [String: String], of version: Int, _ reason: String
    ) throws(ChangeForm.Fault) -> ChangeForm {
        // A restored hold has its own reason. Planned times are exact, so that the zone is irrelevant.
        let fields = ["reason": reason].merging(fields) { $1 }.merging(["version": "\(version)"]) { $1 }
        return try ChangeForm(kind, fields, timeZone: .gmt)
    }

    // MARK: Page

    /// - Parameter more: the values of the page's step.
    func bulkPage(
        _ kind: DeskChange.Kind, _ outcomes: [BulkOutcome], _ more: [String: Any], reason: String,
        for reader: SignedIn
    ) -> Response {
        let values: [String: Any] = [
            "title": kind.bulkTitle, "kind": kind.rawValue, "reason": reason, "isDone": false,
            "lines": outcomes.map { outcome in
                [
                    "id": outcome.delivery.rawValue, "order": outcome.order ?? orderText(of: outcome.delivery),
                    "text": outcome.text, "isFault": outcome.isFault,
                ] as [String: Any]
            },
        ]
        return .page(
            DeskPage.html(
                "bulk", values.merging(more) { $1 }, title: kind.bulkTitle, tab: .now, for: reader))
    }

    private func orderText(of delivery: DeliveryID) -> String {
        board.entry(of: delivery)?.row.orderText ?? delivery.rawValue
    }

    // MARK: Owner

    private func own(_ deliveries: [PlannedChange], for reader: SignedIn) async throws -> Response {
        var conflicts: [String] = []
        for plan in deliveries {
            let id = plan.delivery
            // The version that the operator saw; the row of a search has it where the board has no entry.
            let version = plan.fields["triage"].flatMap { Int($0) } ?? board.entry(of: id)?.triage.version ?? 0
            do {
                try await keepTriage(id, version: version, by: reader.user) { $0.owner = .init(reader.user) }
            } catch let conflict as KeepTriage.Conflict {
                conflicts.append("\(orderText(of: id)) by \(conflict.present.changedBy)")
            }
        }
        guard conflicts.isEmpty else {
            return message(
                .conflict, "Some deliveries keep their owner",
                "These were changed meanwhile: \(conflicts.joined(separator: ", ")). The others are yours.",
                reader: reader, link: ("/?owner=me", "To your deliveries"))
        }
        return .seeOther("/?owner=me")
    }
}

/// The outcome of a bulk change for one of its deliveries, before or after it.
struct BulkOutcome: Sendable {
    let delivery: DeliveryID
    /// The order's reference, where it is known besides the board.
    var order: String?
    let text: String
    /// Whether the delivery is not changed, or may not be.
    let isFault: Bool
    /// Whether no service has answered a request for it.
    var isUnanswered = false
    /// Whether a service refused it for now: it had too much to do, or failed.
    var isRefusedForNow = false
    /// Whether it may be tried again as it is: no service has made or refused it for good, as far as the desk knows.
    var isStillToDo: Bool { isUnanswered || isRefusedForNow }
}

extension DeskChange.Kind {
    /// Whether several deliveries can have it together.
    fileprivate var isOfSeveral: Bool {
        switch self {
        case .status, .courier, .hold, .release, .promise, .resend: true
        case .trip, .item, .addItem, .dropOff, .recipient, .settleCorrection, .endCards: false
        }
    }

    /// Whether the bags of one order have it together, each as it was planned.
    fileprivate var isOfBags: Bool { self == .dropOff || self == .recipient }

    fileprivate var bulkTitle: String { self == .courier ? "Give to a courier" : title }
}
