import APIClient
import DeliveryDiagnosis

extension ServiceRefusal {
    /// Reads the problem document of an answer.
    init(_ answer: APIClient.Answer, of service: TimelineEvent.Source) {
        self.service = service
        status = answer.status
        let problem = answer.problem
        slug = problem?.type?.split(separator: "/").last.map(String.init) ?? ""
        let fields = (problem?.errors ?? []).map { "\($0.path) \($0.message)" }.joined(separator: "; ")
        let parts = [problem?.title, problem?.detail, fields.isEmpty ? nil : fields].compactMap(\.self)
        let allowed = problem?.allowed.map { " Now possible: \($0.joined(separator: ", "))." } ?? ""
        description =
            (parts.isEmpty ? "\(service.rawValue) answered \(answer.status)" : parts.joined(separator: ": ")) + "."
            + allowed
    }
}
