import DeliveryDiagnosis
import Foundation
import OrderDomain
import WireCoding

/// A service refused a request, and says why.
struct ServiceRefusal: Error, CustomStringConvertible, Sendable {
    let service: TimelineEvent.Source
    let status: Int
    /// The last part of the problem's type, such as `stale`.
    let slug: String
    /// What was wrong, as the service writes it.
    let description: String

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

    init(_ answer: ServiceClient.Answer, of service: TimelineEvent.Source) {
        self.service = service
        status = answer.status
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

/// A service did not answer.
struct ServiceUnavailable: Error, CustomStringConvertible, Sendable {
    let service: TimelineEvent.Source
    /// A clause without its subject: `does not answer`.
    let reason: String
    /// Domain time since when it does not; nil where it did answer.
    let since: Date?

    var description: String { "\(service.rawValue) \(reason)" }
}
