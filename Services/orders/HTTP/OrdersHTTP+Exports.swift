import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import Messages
import NIOCore
import OrderDomain
import ServiceRuntime

/// Requests to export a customer's or a courier's data over all services, and their archives.
extension OrdersHTTP {
    @Sendable func exportPerson(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .supervisor)
        guard principal.scope.delivery == nil else { throw Problem.notFound("this token is for one delivery") }
        return try await accept(.customer(try context.path("customer", as: CustomerID.self)), by: principal)
    }

    @Sendable func exportCourier(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .supervisor)
        guard principal.scope.delivery == nil else { throw Problem.notFound("this token is for one delivery") }
        return try await accept(.courier(try context.path("id", as: CourierID.self)), by: principal)
    }

    private func accept(_ person: RequestedPerson, by principal: Principal) async throws -> Response {
        let accepted = try await requestExport(person, by: principal)
        return try jsonResponse(
            PersonRequestBody(accepted), status: .accepted,
            headers: [.location: "/v1/person-requests/\(accepted.id.uuidString.lowercased())"]
        ).confidential()
    }

    /// The archive, read and written chunk by chunk at the reader's pace.
    @Sendable func showArchive(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, as: .supervisor)
        guard principal.scope.delivery == nil, let id = context.parameters.get("id").flatMap(UUID.init(uuidString:)),
            let export = try await requestExport.export(id, for: principal)
        else { throw Self.noPersonRequest }
        guard export.finishedAt != nil else {
            throw Problem.conflict("request \(export.id.uuidString.lowercased()) is running", slug: "archive-not-ready")
        }
        AnsweredPersons.current?.add(Persons(customer: export.person.customer, courier: export.person.courier))
        switch try request.query("format", as: ArchiveFormatName.self) ?? request.wantedArchiveFormat {
        case .json: return archive(of: export, as: ArchiveDocument(of: export.person))
        case .html:
            var response = archive(of: export, as: ArchivePage(of: export.person))
            response.headers[.contentSecurityPolicy] = ArchivePage.contentSecurityPolicy + "; frame-ancestors 'none'"
            return response
        }
    }

    private func archive(of export: PersonExport, as format: some ArchiveFormat) -> Response {
        let id = export.id.uuidString.lowercased()
        return Response(
            status: .ok,
            headers: [
                .contentType: format.contentType,
                .contentDisposition: "attachment; filename=\"\(id).\(format.fileExtension)\"",
            ],
            body: ResponseBody { [readArchive] writer in
                try await readArchive(export, as: format) { text in
                    if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
                }
                try await writer.finish(nil)
            }
        ).confidential()
    }
}

/// The forms of an archive.
enum ArchiveFormatName: String, CaseIterable {
    case json, html
}

extension Request {
    /// The page for a caller who accepts pages, as browsers do; otherwise JSON.
    fileprivate var wantedArchiveFormat: ArchiveFormatName {
        (headers[.accept] ?? "").contains("text/html") ? .html : .json
    }
}

extension PersonRequestBody {
    init(_ export: PersonExport) {
        let id = export.id.uuidString.lowercased()
        self.init(
            id: id, kind: .export, state: export.finishedAt == nil ? .running : .done,
            person: Person(export.person.kind), customer: export.person.customer, courier: export.person.courier,
            requestedBy: export.requestedBy, requestedAt: export.requestedAt, finishedAt: export.finishedAt,
            services: Service.all(of: export.receipts),
            expiries: export.finishedAt.map(RequestExport.expiries),
            archive: export.finishedAt.map { _ in "/v1/person-requests/\(id)/archive" })
    }
}

extension RequestExport.Refusal: ProblemConvertible {
    var problem: Problem {
        switch self {
        case .notConfigured:
            .conflict(
                "this installation exports no persons: pins.keys.file is not set", slug: "exports-not-configured")
        case .notFound(let person): .notFound("no \(person)")
        case .erased(let person):
            switch person {
            case .customer: .conflict("\(person) is being erased", slug: "customer-being-erased")
            case .courier: .conflict("\(person) is being erased", slug: "courier-being-erased")
            }
        }
    }
}
