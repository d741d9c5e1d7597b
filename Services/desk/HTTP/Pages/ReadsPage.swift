import CardPresentation
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import Hummingbird
import ServiceRuntime
import WebPages

/// The page of who read personal data, for supervisors.
extension DeskHTTP {
    @Sendable func showReads(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request, as: .supervisor) { reader in
            var question = ListReads.Question()
            question.filter.customer = request.filterText("customer")
            question.filter.delivery = request.filterText("delivery")
            question.filter.courier = request.filterText("courier")
            // A subject of a provider is its issuer with an id of up to 255 characters.
            question.filter.reader = request.filterText("by", charactersMax: 1_000)
            question.cursor = request.query("cursor").flatMap { ReadsCursor($0) } ?? ReadsCursor()
            let (reads, unavailable) = try await listReads(question, for: reader.user)
            AnsweredPersons.current?.add(Persons())
            var values: [String: Any] = [
                "rows": reads.rows.map(values(of:)), "isEmpty": reads.rows.isEmpty, "unavailable": unavailable,
                "zone": board.timeZone.identifier,
            ]
            values["customer"] = question.filter.customer
            values["delivery"] = question.filter.delivery
            values["courier"] = question.filter.courier
            values["by"] = question.filter.reader
            if let next = reads.next { values["older"] = "/reads" + question.query(after: next.description) }
            return .page(DeskPage.html("reads", values, title: "Who read", tab: .health, for: reader))
        }
    }

    private func values(of row: MergedReads.Row) -> [String: Any] {
        let read = row.read
        var values: [String: Any] = [
            "id": read.id, "at": asOf(read.at), "reader": read.by.withoutDirectionControls,
            "operation": read.operation, "persons": read.personsText().withoutDirectionControls, "role": read.role,
            "service": row.service, "count": read.reads == 1 ? "once" : "\(read.reads) times",
        ]
        values["store"] = read.store
        return values
    }
}
