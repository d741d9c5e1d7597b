import DeliveryDiagnosis
import Foundation
import WireCoding

extension ServiceRefusal {
    private struct ProblemBody: Decodable {
        struct FieldError: Decodable {
            let path: String
            let message: String
        }
        let type: String?
        let title: String?
        let detail: String?
        let errors: [FieldError]?
        let allowed: [String]?
    }

    /// Reads the problem document of an answer.
    init(_ answer: ServiceClient.Answer, of service: TimelineEvent.Source) {
        self.service = service
        status = answer.status
        // An answer without a problem document is described by its status.
        let problem = try? WireJSON.decode(ProblemBody.self, from: answer.body)
        slug = problem?.type?.split(separator: "/").last.map(String.init) ?? ""
        let fields = (problem?.errors ?? []).map { "\($0.path) \($0.message)" }.joined(separator: "; ")
        let parts = [problem?.title, problem?.detail, fields.isEmpty ? nil : fields].compactMap(\.self)
        let allowed = problem?.allowed.map { " Now possible: \($0.joined(separator: ", "))." } ?? ""
        description =
            (parts.isEmpty ? "\(service.rawValue) answered \(answer.status)" : parts.joined(separator: ": ")) + "."
            + allowed
    }
}
