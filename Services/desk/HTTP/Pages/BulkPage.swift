import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime
import WebPages

/// Changing several deliveries at once: the expected effect on each, then the outcome.
extension DeskHTTP {
    /// Deliveries of one form; each is asked about by itself.
    static let deliveriesMax = 100

    @Sendable func bulk(_ request: Request, _ context: AppContext) async throws -> Response {
        try await posting(request) { reader, fields, chosen in
            if fields["kind"] == DeskChange.Kind.courier.rawValue {
                return try await move(chosen, fields, for: reader)
            }
            let deliveries = chosen.compactMap(Chosen.init)
            guard !deliveries.isEmpty, deliveries.count == chosen.count, deliveries.count <= Self.deliveriesMax else {
                return message(
                    .unprocessableContent, "Choose deliveries first",
                    "Nothing was changed: choose 1 to \(Self.deliveriesMax) deliveries on the board.", reader: reader)
            }
            if fields["kind"] == "own" { return try await own(deliveries, for: reader) }
            guard let kind = fields["kind"].flatMap(DeskChange.Kind.init),
                [.hold, .release, .resend].contains(kind)
            else { throw Problem.malformed("kind", "is none that several deliveries have") }
            guard reader.user.may(kind.neededScope) else { throw Problem.scopeTooNarrow(kind.neededScope) }
            let isCommit = fields["step"] == "commit"
            var lines: [[String: Any]] = []
            var open: [Chosen] = []
            for one in deliveries {
                let (text, goesOn) = await line(kind, fields, one, isCommit: isCommit, for: reader.user)
                lines.append(["id": one.id.rawValue, "order": text.order, "text": text.outcome, "isFault": !goesOn])
                if goesOn { open.append(one) }
            }
            var values: [String: Any] = [
                "title": kind.title, "lines": lines, "isDone": isCommit, "count": open.count,
                "kind": kind.rawValue, "reason": fields["reason"] ?? "",
            ]
            if !isCommit, !open.isEmpty { values["deliveries"] = open.map { ["value": $0.text] } }
            return .page(DeskPage.html("bulk", values, title: kind.title, tab: .now, for: reader))
        }
    }

    /// A delivery in the board's form: its id and the shown version.
    struct Chosen {
        let id: DeliveryID
        let version: Int
        let text: String

        init?(_ text: String) {
            let parts = text.split(separator: " ")
            guard parts.count == 2, let id = DeliveryID(rawValue: String(parts[0])), let version = Int(parts[1]) else {
                return nil
            }
            (self.id, self.version, self.text) = (id, version, text)
        }
    }

    private func line(
        _ kind: DeskChange.Kind, _ fields: [String: String], _ one: Chosen, isCommit: Bool, for user: DeskUser
    ) async -> (text: (order: String, outcome: String), goesOn: Bool) {
        let entry = board.entry(of: one.id)
        let order = entry?.row.orderText ?? one.id.rawValue
        do {
            let form = try ChangeForm(
                kind, fields.merging(["version": "\(one.version)"]) { $1 },
                timeZone: entry?.row.timeZone.flatMap { TimeZone(identifier: $0) } ?? .gmt)
            guard kind.changesDelivery else {
                guard isCommit else { return ((order, "its cards are sent again"), true) }
                let cards = try await change.overrideCards(form.change, of: one.id, reason: form.reason, by: user)
                guard let cards else { return ((order, "has no cards"), false) }
                return ((order, "\(cards) cards are sent again"), true)
            }
            if isCommit {
                let body = try await change.make(form, of: one.id, by: user)
                board.wake(one.id)
                return ((order, "done; it is at version \(body.version)"), true)
            }
            let preview = try await change.preview(form, of: one.id, by: user)
            let alert = preview.alert == nil ? "" : "; phones announce it"
            return ((order, preview.changes ? "it can be done\(alert)" : "that changes nothing"), preview.changes)
        } catch let fault as ChangeForm.Fault {
            return ((order, fault.text), false)
        } catch let refusal as ServiceRefusal where refusal.status == 412 {
            return ((order, "not done: it has changed since the board showed it"), false)
        } catch {
            return ((order, "not done: \(error)"), false)
        }
    }

    private func own(_ deliveries: [Chosen], for reader: SignedIn) async throws -> Response {
        var conflicts: [String] = []
        for one in deliveries {
            let entry = board.entry(of: one.id)
            let version = entry?.triage.version ?? 0
            do {
                try await keepTriage(one.id, version: version, by: reader.user) { $0.owner = .init(reader.user) }
            } catch let conflict as KeepTriage.Conflict {
                let order = entry?.row.orderText ?? one.id.rawValue
                conflicts.append("\(order) by \(conflict.present.changedBy)")
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
