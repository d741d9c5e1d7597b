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
            let times = ["from", "until"].map { request.filterText($0) }
            question.filter.from = ChangeForm.date(times[0], board.timeZone)
            question.filter.until = ChangeForm.date(times[1], board.timeZone)
            question.cursor = request.query("cursor").flatMap { ReadsCursor($0) } ?? ReadsCursor()
            let (reads, unavailable) = try await listReads(question, for: reader.user)
            AnsweredPersons.current?.add(Persons())
            var values: [String: Any] = [
                "rows": reads.rows.map { self.values(of: $0, for: question.filter) }, "isEmpty": reads.rows.isEmpty,
                "unavailable": unavailable,
                "zone": board.timeZone.identifier,
            ]
            values["customer"] = question.filter.customer
            values["delivery"] = question.filter.delivery
            values["courier"] = question.filter.courier
            values["by"] = question.filter.reader
            values["from"] = question.filter.from == nil ? nil : times[0]
            values["until"] = question.filter.until == nil ? nil : times[1]
            if let next = reads.next {
                values["older"] =
                    "/reads"
                    + URLQuery.text([
                        ("customer", question.filter.customer), ("delivery", question.filter.delivery),
                        ("courier", question.filter.courier), ("by", question.filter.reader), ("from", times[0]),
                        ("until", times[1]), ("cursor", next.description),
                    ])
            }
            return .page(DeskPage.html("reads", values, title: "Who read", tab: .health, for: reader))
        }
    }

    private func values(of row: MergedReads.Row, for filter: PersonalReadLog.Filter) -> [String: Any] {
        let read = row.read
        let persons = read.personsText(
            first: Set([filter.customer, filter.delivery, filter.courier].compactMap(\.self)))
        var values: [String: Any] = [
            "id": read.id, "at": asOf(read.at), "reader": read.by.withoutDirectionControls,
            "operation": read.operation, "persons": persons.withoutDirectionControls, "role": read.role,
            "service": row.service, "count": read.reads == 1 ? "once" : "\(read.reads) times",
        ]
        values["store"] = read.store
        return values
    }
}
