import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import ServiceRuntime
import WireCoding

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
        let asked = services.addresses.configured.filter { !question.cursor.away.contains($0.rawValue) }
        let answers = try await withThrowingTaskGroup(
            of: (TimelineEvent.Source, PersonalReadsBody?).self
        ) { group in
            for service in asked {
                group.addTask {
                    let path = "/v1/personal-reads" + question.query(after: question.cursor.ids[service.rawValue])
                    return (
                        service, try await services.read(service, path, for: user, as: PersonalReadsBody.self).body
                    )
                }
            }
            var answers: [TimelineEvent.Source: PersonalReadsBody] = [:]
            for try await (service, page) in group { answers[service] = page }
            return answers
        }
        var pages = asked.compactMap { service in answers[service].map { (service: service.rawValue, page: $0) } }
        // A service of the former version has no such list.
        let away = services.addresses.configured.filter { answers[$0] == nil }.map(\.rawValue)
        let ownCursor = question.cursor.ids["desk"].flatMap { UUID(uuidString: $0) }
        pages.append(("desk", try await own.list(question.filter, after: ownCursor)))
        return (MergedReads(pages, away: away, after: question.cursor), away)
    }
}

extension ListReads.Question {
    /// The question's query for a service, with its question mark.
    func query(after cursor: String?) -> String {
        URLQuery.text([
            ("customer", filter.customer), ("delivery", filter.delivery), ("courier", filter.courier),
            ("by", filter.reader), ("from", filter.from.map(WireJSON.text)),
            ("until", filter.until.map(WireJSON.text)), ("cursor", cursor),
        ])
    }
}
