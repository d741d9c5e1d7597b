import AsyncHTTPClient
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import OrderDomain
import ServiceRuntime
import WebPages

/// Exporting a customer's or a courier's data, for supervisors: the request, its progress, and the archive.
extension DeskHTTP {
    @Sendable func exportPerson(_ request: Request, _ context: AppContext) async throws -> Response {
        try await posting(request, as: .supervisor) { reader, fields, _ in
            let form = PersonForm(fields)
            guard let person = form.person else {
                return personsPage(for: reader, notice: "This is no \(form.kind.rawValue)'s id. Nothing was exported.")
            }
            let accepted = try await requestErasures.export(person, by: reader.user)
            return .seeOther("/persons/\(accepted.id)")
        }
    }

    /// Passes the archive on as it arrives, to be saved: a browser that opens the file has none of the desk's rights.
    @Sendable func showArchive(_ request: Request, _ context: AppContext) async throws -> Response {
        let id = try context.path("id")
        return try await signedIn(request, as: .supervisor) { reader in
            guard let id = UUID(uuidString: id) else { throw Problem.notFound() }
            let isPage = request.query("format") == "html"
            let archive = try await requestErasures.archive(id, asPage: isPage, for: reader.user)
            let name = "\(id.uuidString.lowercased()).\(isPage ? "html" : "json")"
            return Response(
                status: .ok,
                headers: [
                    .contentType: isPage ? "text/html; charset=utf-8" : "application/json",
                    .contentDisposition: "attachment; filename=\"\(name)\"", .cacheControl: "no-store",
                    .xContentTypeOptions: "nosniff",
                    .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
                ], body: ResponseBody(asyncSequence: archive.body))
        }
    }

    func exportPage(of request: PersonRequestBody, for reader: SignedIn) -> Response {
        let isDone = request.state == .done
        return .page(
            DeskPage.html(
                "person-export", values(of: request), title: "Export a person's data", tab: .health, for: reader,
                scripts: isDone ? [] : PageAsset.liveScripts, reading: isDone ? nil : "/persons/\(request.id)"))
    }
}
