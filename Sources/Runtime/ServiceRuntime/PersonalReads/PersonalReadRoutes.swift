internal import DoorstepAPI
internal import Foundation
package import Hummingbird
internal import TextCoding

/// Records the reads of a service's routes, and lists them for supervisors; the same in every service.
package struct PersonalReadRoutes: Sendable {
    /// The query parameters of the list.
    package static let queryParameters: [String: Set<String>] = [
        "GET /v1/personal-reads": ["customer", "delivery", "courier", "by", "from", "until", "cursor"]
    ]

    package let recorder: PersonalReadRecorder

    package init(_ recorder: PersonalReadRecorder) { self.recorder = recorder }

    /// Records the reads of the routes that are added after this call.
    package func record(_ reads: PersonalReads, on router: Router<AppContext>) {
        router.add(middleware: PersonalReadsMiddleware(reads: reads, recorder: recorder))
    }

    package func addRoutes(to router: Router<AppContext>) { router.get("v1/personal-reads", use: list) }

    @Sendable private func list(_ request: Request, _ context: AppContext) async throws -> Response {
        try context.requireUnrestricted(.operator, as: .supervisor)
        var filter = PersonalReadLog.Filter()
        filter.customer = try Self.id("customer", of: request)
        filter.delivery = try Self.id("delivery", of: request)
        filter.courier = try Self.id("courier", of: request)
        filter.reader = request.query("by")
        filter.from = try request.time("from")
        filter.until = try request.time("until")
        let cursor = try request.query("cursor").map { text in
            guard let id = UUID(uuidString: text) else { throw Problem.malformed("query cursor", "is not one of ours") }
            return id
        }
        return try jsonResponse(try await recorder.log.list(filter, after: cursor)).confidential()
    }

    /// The person's or the delivery's id in a query.
    private static func id(_ name: String, of request: Request) throws -> String? {
        guard let text = request.query(name) else { return nil }
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(\.isURLSafe) else {
            throw Problem.malformed("query \(name)", "must be 1 to 64 letters, digits, - and _")
        }
        return text
    }
}
