import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import ServiceRuntime
import WebPages

/// Messages that a service could not process, with their repair. Their content stays in the service: it may be a
/// customer's link.
extension DeskHTTP {
    @Sendable func showDeadLetters(_ request: Request, _ context: AppContext) async throws -> Response {
        try await signedIn(request) { reader in
            let letters = try await repair.deadLetters(for: reader.user)
            let values: [String: Any] = [
                "missing": missing, "sections": letters.map { section(of: $0.service, $0.answer) },
                "maySettle": reader.user.may(.supervisor), "done": request.query("done") ?? "",
            ]
            return .page(
                DeskPage.html("letters", values, title: "Dead letters", tab: .letters, for: reader, reading: nil))
        }
    }

    private func section(
        of service: TimelineEvent.Source, _ answer: PeerAnswer<DeadLettersBody>
    ) -> [String: Any] {
        var section: [String: Any] = ["service": service.rawValue]
        switch answer {
        case .body(let body):
            section["letters"] = body.deadLetters.map { letter in
                [
                    "service": service.rawValue, "id": letter.id, "subject": letter.title, "error": letter.error,
                    "attempts": letter.attempts, "at": asOf(letter.occurredAt),
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
        let (service, id, verb) = (try context.path("service"), try context.path("id"), try context.path("repair"))
        return try await posting(request, as: .supervisor) { reader, fields, _ in
            guard let service = TimelineEvent.Source(rawValue: service), let letter = UUID(uuidString: id) else {
                throw Problem.notFound()
            }
            switch verb {
            case "retry": try await repair.retry(letter, of: service, by: reader.user)
            case "drop":
                try await repair.drop(letter, of: service, reason: fields["reason"] ?? "", by: reader.user)
            default: throw Problem.notFound()
            }
            return .seeOther("/dead-letters?done=\(verb)")
        }
    }
}
