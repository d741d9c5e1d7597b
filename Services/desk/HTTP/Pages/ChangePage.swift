import CardPresentation
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import LiveActivity
import Messages
import OrderDomain
import PhoneRules
import ServiceRuntime
import TimePresentation
import WebPages
import WireCoding

/// The pages on which an operator changes a delivery: a form, then the expected effect, then the result.
extension DeskHTTP {
    @Sendable func showChange(_ request: Request, _ context: AppContext) async throws -> Response {
        let (id, kind) = try changePath(context)
        return try await signedIn(request, as: kind.neededScope) { reader in
            guard let read = try await readDelivery(id, for: reader.user) else { return noDelivery(reader) }
            var fields: [String: String] = [:]
            let names = ["reason", "status", "courier", "former", "stops", "item", "itemStatus", "substitute"]
            for name in names + ChangeForm.timeNames {
                fields[name] = request.query(name)
            }
            return try await page(kind, read, id, fields, for: reader)
        }
    }

    @Sendable func makeChange(_ request: Request, _ context: AppContext) async throws -> Response {
        let (id, kind) = try changePath(context)
        return try await posting(request, as: kind.neededScope) { reader, written, _ in
            let attempts = BulkAttempts(now: wallNow)
            let fields = ChangeForm.choosingWindow(written)
            guard let read = try await readDelivery(id, for: reader.user) else { return noDelivery(reader) }
            let form: ChangeForm
            do throws(ChangeForm.Fault) {
                form = try ChangeForm(kind, fields, timeZone: read.timeline.timeZone)
            } catch {
                return try await page(
                    kind, read, id, fields, seen: Self.seen(fields), fault: error.text, status: .unprocessableContent,
                    for: reader)
            }
            do {
                var isKnown = false
                if case .courier(let courier?, _) = form.change {
                    // Nothing may be left by which courier-eta would know a former courier.
                    isKnown = fields["former"] == courier.rawValue
                    if !isKnown { isKnown = await readCouriers.knows(courier, for: reader.user) }
                }
                guard fields["step"] == "commit" else {
                    if let page = try await tripPage(form, read, fields, attempts, for: reader) { return page }
                    let preview =
                        kind.changesDelivery
                        ? try await change.preview(form, of: id, isKnown: isKnown, by: reader.user) : nil
                    return try await page(
                        kind, read, id, fields, preview: .some(preview), doubt: doubt(form, read),
                        bags: await bags(form, read, attempts, for: reader), for: reader)
                }
                return try await commit(form, read, id, isKnown: isKnown, by: reader.user)
            } catch let fault as ChangeForm.Fault {
                return try await page(
                    kind, read, id, fields, seen: Self.seen(fields), fault: fault.text, status: .unprocessableContent,
                    for: reader)
            } catch let refusal as ServiceRefusal where refusal.status == 412 {
                let entries = (read.timeline.orders.body?.entries ?? []).filter { $0.version > form.version }
                return try await page(
                    kind, read, id, fields, fault: Self.cause(of: entries, for: reader.user),
                    changes: texts(of: entries, read), status: .conflict, for: reader)
            } catch let refusal as ServiceRefusal where (400..<500).contains(refusal.status) && refusal.status != 403 {
                return try await page(
                    kind, read, id, fields, seen: Self.seen(fields), fault: refusal.description,
                    status: HTTPResponse.Status(code: refusal.status), for: reader)
            }
        }
    }

    /// The preview of a move to another courier, as of several deliveries; nil for another change, for the way back to a
    /// former courier, and where no trip is proposed, or one of another version than the form's.
    private func tripPage(
        _ form: ChangeForm, _ read: ReadDelivery.Result, _ fields: [String: String], _ attempts: BulkAttempts,
        for reader: SignedIn
    ) async throws -> Response? {
        guard let delivery = read.timeline.orders.body?.delivery, form.version == delivery.version,
            case .courier(let courier?, .none) = form.change, courier != delivery.courier?.id,
            fields["former"] != courier.rawValue,
            let proposed = try await trip(of: courier, adding: [delivery.id], by: reader.user),
            proposed.stops.allSatisfy({ $0.delivery != delivery.id || $0.version == form.version })
        else { return nil }
        return await movePage(
            proposed, [PlannedChange(delivery.id, version: form.version)], to: courier, reason: form.reason,
            attempts, for: reader)
    }

    /// Why the form's window cannot be kept; nil for one that may be, and for another change.
    private func doubt(_ form: ChangeForm, _ read: ReadDelivery.Result) -> String? {
        guard case .promise(let promise) = form.change else { return nil }
        let timeline = read.timeline
        let estimate = timeline.orders.body.flatMap {
            timeline.estimate.body?.coming(of: $0.delivery, at: clock.now)
        }
        return PromiseDoubt(promise, estimate: estimate, now: clock.now)?
            .text(StoreTimes(timeZone: timeline.timeZone, now: clock.now))
    }

    private func changePath(_ context: AppContext) throws -> (DeliveryID, DeskChange.Kind) {
        (try context.path("id", as: DeliveryID.self), try context.path("kind", as: DeskChange.Kind.self))
    }

    private func noDelivery(_ reader: SignedIn) -> Response {
        message(.notFound, "There is no such delivery", "It may have been deleted.", reader: reader)
    }

    /// - Throws: `ChangeForm.Fault` where no card was changed; ``ServiceRefusal``; ``ServiceUnavailable``.
    private func commit(
        _ form: ChangeForm, _ read: ReadDelivery.Result, _ id: DeliveryID, isKnown: Bool, by user: DeskUser
    ) async throws -> Response {
        let kind = form.change.kind
        var query = "done=\(kind.rawValue)"
        if kind.changesDelivery {
            let before = read.timeline.orders.body?.delivery
            _ = try await change.make(form, of: id, isKnown: isKnown, by: user)
            query += before.map { form.change.undoQuery($0, in: read.timeline.timeZone) } ?? ""
        } else {
            let cards = try await change.overrideCards(form.change, of: id, reason: form.reason, by: user)
            if let fault = Self.fault(ofCards: cards) { throw ChangeForm.Fault(field: "kind", text: fault) }
        }
        board.wake(id)
        return .seeOther("/deliveries/\(id)?\(query)")
    }

    /// Why no card of a delivery was changed; nil where some were.
    ///
    /// - Parameter count: the changed cards; nil without an activity.
    static func fault(ofCards count: Int?) -> String? {
        switch count {
        case nil: "not done: it has no cards"
        case 0: "not done: no card was changed, since none is live"
        default: nil
        }
    }

    /// The sentence that names the actors of the changes since a form was opened.
    private static func cause(of entries: [TimelineBody.Entry], for reader: DeskUser) -> String {
        let operators = entries.map { entry -> Substring? in
            entry.by.hasPrefix("operator ") ? entry.by.dropFirst("operator ".count) : nil
        }
        if operators.compactMap(\.self).contains(where: { !reader.isActor(String($0)) }) {
            return "Another operator changed the delivery after you opened this form."
        }
        return operators.isEmpty || operators.contains(nil)
            ? "The delivery has changed since you opened this form."
            : "You have changed the delivery since you opened this form."
    }

    /// The changes as sentences, oldest first.
    private func texts(of entries: [TimelineBody.Entry], _ read: ReadDelivery.Result) -> [String] {
        let times = StoreTimes(timeZone: read.timeline.timeZone, now: clock.now)
        return entries.map { entry in
            "\(times.text(entry.at, withSeconds: true)) \(entry.by): \(entry.what)"
                .withoutDirectionControls
        }
    }

    // MARK: Page

    /// The version that the operator saw, of a form that comes back with a fault.
    private static func seen(_ fields: [String: String]) -> Int? { fields["version"].flatMap { Int($0) } }

    /// - Parameters:
    ///   - seen: the version of the delivery that the form is about; nil for the present one, whose changes the page
    ///     shows.
    ///   - preview: the change's effect; an inner nil where the change is about cards alone, an outer nil without a
    ///     preview.
    private func page(
        _ kind: DeskChange.Kind, _ read: ReadDelivery.Result, _ id: DeliveryID, _ fields: [String: String],
        seen: Int? = nil, preview: PreviewBody?? = nil, doubt: String? = nil, bags: [String: Any]? = nil,
        fault: String? = nil,
        changes: [String] = [], status: HTTPResponse.Status = .ok, for reader: SignedIn
    ) async throws -> Response {
        guard let delivery = read.timeline.orders.body?.delivery else {
            return message(
                .serviceUnavailable, "The delivery cannot be changed now",
                missing.first ?? "orders does not answer.", reader: reader,
                link: ("/deliveries/\(id)", "To the delivery"))
        }
        let details = DeliveryDetails(read: read, id: id, missing: missing, reader: reader.user)
        var values: [String: Any] = [
            "title": kind.title, "order": details.title, "path": "/deliveries/\(id)/change/\(kind.rawValue)",
            "back": "/deliveries/\(id)", "version": seen ?? delivery.version,
            "reason": fields["reason"] ?? (kind == .promise ? read.row?.riskText ?? "" : ""),
            "changes": changes.map { ["text": $0] }, "hasChanges": !changes.isEmpty,
        ]
        values["fault"] = fault
        values[kind.rawValue.replacing("-", with: "")] = try await choices(
            kind, delivery, fields, estimate: read.timeline.estimate.body?.coming(of: delivery, at: clock.now),
            timeZone: read.timeline.timeZone, for: reader.user)
        if kind == .dropOff || kind == .recipient, let providers = details.providerReferences {
            values["providers"] = providers
        }
        if let preview {
            var shown = Self.previewValues(preview, details.title, now: clock.now)
            if kind == .courier, let preview {
                shown["holdNote"] = Self.holdText(after: preview.delivery, before: delivery)
            }
            values["preview"] = shown
            values["doubt"] = doubt
            values["bags"] = bags
            values["chosen"] = fields.filter { $0.key != "form" && $0.key != "step" && $0.key != "version" }
                .sorted { $0.key < $1.key }.map { ["name": $0.key, "value": $0.value] }
        }
        return .page(
            DeskPage.html("change", values, title: "\(kind.title), \(details.title)", tab: .now, for: reader),
            status: status)
    }

    /// The end or the beginning of a hold for a broken vehicle by a change of the courier; nil without either.
    static func holdText(after: DeliveryBody, before: DeliveryBody) -> String? {
        switch (before.flags.contains(.onHold), after.flags.contains(.onHold)) {
        case (true, false): "This releases it from hold: the former courier's vehicle has broken down."
        case (false, true): "This puts it on hold again: this courier's vehicle has broken down."
        case (true, true), (false, false): nil
        }
    }

    /// The card and the phones' alert after the change.
    static func previewValues(_ preview: PreviewBody?, _ title: String, now: Date) -> [String: Any] {
        guard let preview else {
            return ["text": "The delivery does not change. A change of its cards cannot be undone."]
        }
        let seconds = Int(now.timeIntervalSince1970)
        let card = PhoneCard(showing: preview.activity, since: seconds, at: seconds)
        let words = Words(locale: "en")
        let face = CardFace(card, words: words, now: seconds, in: .page)
        let timeZone = preview.activity.attributes.timeZone
        var values: [String: Any] = [
            "card": DeskPage.templates.render(
                "card", face.pageValues(title: nil, icon: PageAsset.icon(of: face.tint.rawValue).path, outdated: nil)),
            "text": preview.changes ? "The customer's card after the change:" : "This changes nothing.",
        ]
        if let alert = preview.alert {
            let (title, body) = (
                words.text(alert.title, timeZone: timeZone, now: seconds),
                words.text(alert.body, timeZone: timeZone, now: seconds)
            )
            values["alert"] = "\(title): \(body)".withoutDirectionControls
        }
        let cards = preview.cards?.count ?? 0
        values["screens"] =
            cards == 0
            ? "No phone shows it yet." : "Doorstep updates \(cards) \(cards == 1 ? "card" : "cards")."
        return values
    }

    /// The form's options.
    private func choices(
        _ kind: DeskChange.Kind, _ delivery: DeliveryBody, _ fields: [String: String], estimate: Estimate?,
        timeZone: TimeZone, for user: DeskUser
    ) async throws -> [String: Any] {
        func options(_ values: [(value: String, text: String)], _ chosen: String?) -> [[String: Any]] {
            values.map { ["value": $0.value, "text": $0.text, "isChosen": $0.value == chosen] }
        }
        func exact(_ field: String, _ date: Date) -> Date { ChangeForm.exactDate(field, fields) ?? date }
        switch kind {
        case .status:
            let allowed = delivery.allowed.map { ($0.rawValue, $0.text) }
            return ["options": options(allowed, fields["status"])]
        case .courier:
            let (choices, areCut) = await readCouriers.choices(for: user, toFetchFrom: FetchPlace(delivery))
            let rows = choices.map { choice in
                (choice.courier.courier.rawValue, choice.text.withoutDirectionControls)
            }
            let chosen = fields["courier"] ?? delivery.courier?.id.rawValue ?? "nobody"
            let listed = [("nobody", "nobody")] + rows
            // A courier who is not in the list, such as of a change that is taken back.
            let other = listed.contains { $0.0 == chosen } ? [] : [(chosen, chosen.withoutDirectionControls)]
            var values: [String: Any] = [
                "options": options(listed + other, chosen), "areCut": areCut, "chosenCourier": chosen,
            ]
            values["former"] = fields["former"]
            values["stops"] = fields["stops"]
            return values
        case .promise:
            let (start, end) = (exact("start", delivery.promise.start), exact("end", delivery.promise.end))
            let times = StoreTimes(timeZone: timeZone, now: clock.now)
            return [
                "start": fields["start"] ?? ChangeForm.text(start, in: timeZone), "startExact": start.epochSeconds,
                "end": fields["end"] ?? ChangeForm.text(end, in: timeZone), "endExact": end.epochSeconds,
                "zone": timeZone.identifier,
                "windows": PromiseChoice.all.compactMap { choice -> [String: Any]? in
                    let promise = choice.promise(inPlaceOf: delivery.promise, estimate: estimate, now: clock.now)
                    return promise.map {
                        [
                            "value": "\($0.start.epochSeconds)-\($0.end.epochSeconds)",
                            "text": "\(times.text(from: $0.start, to: $0.end)), \(choice.text)",
                        ]
                    }
                },
            ]
        case .trip: return ["stops": fields["stops"] ?? "\(delivery.stopsBefore)"]
        case .item:
            let items = delivery.items.map { ($0.id.rawValue, $0.name.withoutDirectionControls) }
            // The form has no number, which `short` needs.
            let statuses = ItemStatus.allCases.filter { $0 != .pending && $0 != .short }.map { ($0.rawValue, $0.text) }
            return [
                "items": options(items, fields["item"]), "statuses": options(statuses, fields["itemStatus"]),
                "substitute": fields["substitute"] ?? "",
            ]
        case .addItem: return itemChoices(fields)
        case .dropOff: return dropOffChoices(delivery, fields)
        case .recipient: return recipientChoices(delivery, fields)
        case .settleCorrection:
            let due = CorrectionDue.allCases.filter { delivery.correctionsDue?.contains($0) == true }
            return ["options": options(due.map { ($0.rawValue, $0.doneText) }, fields["due"])]
        case .hold, .release, .resend, .endCards: return [:]
        }
    }
}
