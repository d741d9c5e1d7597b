import CardPresentation
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import Messages
import OrderDomain
import ServiceRuntime
import WebPages

/// Erasing a customer or a courier, for supervisors: the request, and its progress until the certificate.
extension DeskHTTP {
    @Sendable func showPersons(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request, as: .supervisor) { personsPage(for: $0) }
    }

    @Sendable func erasePerson(_ request: Request, _ context: AppContext) async throws -> Response {
        try await posting(request, as: .supervisor) { reader, fields, _ in
            let form = PersonForm(fields)
            guard let person = form.person else {
                return personsPage(for: reader, notice: "This is no \(form.kind.rawValue)'s id. Nothing was erased.")
            }
            guard fields["again"]?.trimmingCharacters(in: .whitespaces) == form.text else {
                return personsPage(for: reader, form, notice: "The two ids are not the same. Nothing was erased.")
            }
            let accepted = try await requestErasures(person, endLive: fields["endLive"] != nil, by: reader.user)
            return .seeOther("/persons/\(accepted.id)")
        }
    }

    @Sendable func showPersonRequest(_ request: Request, _ context: AppContext) async throws -> Response {
        let id = try context.path("id")
        return try await signedIn(request, as: .supervisor) { reader in
            guard let id = UUID(uuidString: id) else { throw Problem.notFound() }
            let found = try await requestErasures.request(id, for: reader.user)
            if found.kind == .export { return exportPage(of: found, for: reader) }
            let values = values(of: found)
            let scripts = found.state == .done ? [] : PageAsset.liveScripts
            return .page(
                DeskPage.html(
                    "person-request", values, title: "Erase a person", tab: .health, for: reader, scripts: scripts,
                    reading: found.state == .done ? nil : "/persons/\(found.id)"))
        }
    }

    /// - Parameter form: the form of an erasure to fill in again.
    func personsPage(for reader: SignedIn, _ form: PersonForm? = nil, notice: String? = nil) -> Response {
        var values: [String: Any] = ["customer": "", "courier": ""]
        if let form { values[form.kind.rawValue] = form.text }
        values["notice"] = notice
        return .page(
            DeskPage.html("persons", values, title: "Export or erase a person", tab: .health, for: reader),
            status: notice == nil ? .ok : .unprocessableContent)
    }

    func values(of request: PersonRequestBody) -> [String: Any] {
        [
            "id": request.id, "isDone": request.state == .done, "timeZone": board.timeZone.identifier,
            "isUnknown": request.services.allSatisfy(\.tables.isEmpty),
            "isCourier": request.person == .courier,
            "person": request.customer?.rawValue ?? request.courier?.rawValue ?? "",
            "requestedBy": request.requestedBy.withoutDirectionControls, "requestedAt": asOf(request.requestedAt),
            "services": request.services.map { service in
                var values: [String: Any] = [
                    "service": service.service, "isDone": service.isDone,
                    "tables": service.tables.map { ["table": $0.table, "rows": $0.rows] as [String: Any] },
                ]
                values["failure"] = service.failure
                return values
            },
            "hasExpiries": request.expiries != nil,
            "expiries": (request.expiries ?? []).map { expiry in
                ["what": expiry.what, "until": expiry.until.map { "until \(asOf($0))" } ?? "yours to delete"]
            },
        ]
    }
}

/// The id in a form about a customer or a courier.
struct PersonForm {
    /// Its raw value is the field of the id.
    let kind: PersonRequestBody.Person
    let text: String

    init(_ fields: [String: String]) {
        kind = fields["courier"] == nil ? .customer : .courier
        text = (fields[kind.rawValue] ?? "").trimmingCharacters(in: .whitespaces)
    }

    /// Nil where the text is no id.
    var person: RequestedPerson? {
        switch kind {
        case .customer: CustomerID(rawValue: text).map(RequestedPerson.customer)
        case .courier: CourierID(rawValue: text).map(RequestedPerson.courier)
        }
    }
}
