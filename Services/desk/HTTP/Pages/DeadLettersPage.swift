import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import NIOHTTP1
import OrderDomain
import ServiceRuntime
import TimePresentation
import WebPages

/// Messages that a service could not process, with their repair. What is in them stays in the service: it may be a
/// customer's link.
extension DeskHTTP {
    @Sendable func showDeadLetters(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            var sections: [[String: Any]] = []
            for service in services.addresses.configured {
                sections.append(try await deadLetters(of: service, for: reader.user))
            }
            let values: [String: Any] = [
                "missing": missing, "sections": sections, "maySettle": reader.user.may(.supervisor),
                "done": request.query("done") ?? "",
            ]
            return .page(
                DeskPage.html("letters", values, title: "Dead letters", tab: .letters, for: reader, reading: nil))
        }
    }

    private func deadLetters(of service: TimelineEvent.Source, for user: DeskUser) async throws -> [String: Any] {
        let answer = try await services.read(service, "/v1/admin/dead-letters", for: user, as: DeadLettersBody.self)
        var section: [String: Any] = ["service": service.rawValue]
        switch answer {
        case .body(let body):
            section["letters"] = body.deadLetters.map { letter in
                [
                    "service": service.rawValue, "id": letter.id, "subject": letter.subject, "error": letter.error,
                    "attempts": letter.attempts, "at": letter.occurredAt.formatted(.iso8601),
                ] as [String: Any]
            }
            section["isEmpty"] = body.deadLetters.isEmpty
            section["hasMore"] = body.next != nil
        case .notFound: section["isEmpty"] = true
        case .unavailable(let reason): section["fault"] = reason
        }
        return section
    }

    @Sendable func settleDeadLetter(_ request: Request, _ context: AppContext) async throws -> Response {
        let (service, id, repair) = (try context.path("service"), try context.path("id"), try context.path("repair"))
        return try await posting(request, as: .supervisor) { reader, fields, _ in
            guard let service = TimelineEvent.Source(rawValue: service), let letter = UUID(uuidString: id),
                repair == "retry" || repair == "drop"
            else { throw Problem.notFound() }
            let path = "/v1/admin/dead-letters/\(letter.uuidString.lowercased())/\(repair)"
            if repair == "drop" {
                let reason = fields["reason"] ?? ""
                let _: DeadLetterBody = try await services.send(
                    .POST, service, path, ReasonBody(reason: reason), for: reader.user)
            } else {
                let _: DeadLetterBody = try await services.send(
                    .POST, service, path, [String: String]?.none, for: reader.user)
            }
            return .seeOther("/dead-letters?done=\(repair)")
        }
    }
}
