import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import ServiceRuntime

/// Reads the access logs of all services and of the desk, as far as they answer.
struct ListReads: Sendable {
    let services: ServiceClient
    let own: PersonalReadLog

    /// The part of the log that is asked for.
    struct Question: Sendable {
        var filter = PersonalReadLog.Filter()
        var cursor = ReadsCursor()
    }

    /// - Throws: `ServiceRefusal`, `PostgresError`.
    func callAsFunction(
        _ question: Question, for user: DeskUser
    ) async throws -> (reads: MergedReads, unavailable: [String]) {
        var pages: [(service: String, page: PersonalReadsBody)] = []
        var unavailable: [String] = []
        for service in services.addresses.configured {
            let path = "/v1/personal-reads" + question.query(after: question.cursor.ids[service.rawValue])
            switch try await services.read(service, path, for: user, as: PersonalReadsBody.self) {
            case .body(let page): pages.append((service.rawValue, page))
            // A service of the former version.
            case .notFound: unavailable.append(service.rawValue)
            case .unavailable: unavailable.append(service.rawValue)
            }
        }
        let ownCursor = question.cursor.ids["desk"].flatMap { UUID(uuidString: $0) }
        pages.append(("desk", try await own.list(question.filter, after: ownCursor)))
        return (MergedReads(pages, after: question.cursor), unavailable)
    }
}

extension ListReads.Question {
    /// The question's query for a service, with its question mark.
    func query(after cursor: String?) -> String {
        URLQuery.text([
            ("customer", filter.customer), ("delivery", filter.delivery), ("courier", filter.courier),
            ("by", filter.reader), ("cursor", cursor),
        ])
    }
}
