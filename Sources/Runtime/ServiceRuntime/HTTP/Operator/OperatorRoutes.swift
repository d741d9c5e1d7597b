internal import DoorstepAPI
package import Hummingbird
package import ReliableMessaging

/// The routes for operators of every service: its dead letters, the resync and the access log.
package struct OperatorRoutes: Sendable {
    /// The query parameters of these routes.
    package static let queryParameters: [String: Set<String>] = ["GET /v1/admin/dead-letters": ["cursor"]]
        .merging(PersonalReadRoutes.queryParameters) { $1 }

    private let deadLetters: DeadLetterRoutes
    /// The recorder of reads, and the list of them.
    package let reads: PersonalReadRoutes
    private let resync: @Sendable () async throws -> Int

    /// - Parameters:
    ///   - reads: records the reads of the service.
    ///   - resync: republishes everything live and returns the number of objects.
    package init(
        _ deadLetters: DeadLetters, reads: PersonalReadRecorder, wakeRelay: @escaping @Sendable () -> Void,
        resync: @escaping @Sendable () async throws -> Int
    ) {
        self.deadLetters = DeadLetterRoutes(deadLetters, wakeRelay: wakeRelay)
        self.reads = PersonalReadRoutes(reads)
        self.resync = resync
    }

    package func addRoutes(to router: Router<AppContext>) {
        router.post("v1/admin/republish", use: republish)
        deadLetters.addRoutes(to: router)
        reads.addRoutes(to: router)
    }

    /// Records the reads of the routes that are added after this call, of these routes too.
    package func record(_ reads: PersonalReads, on router: Router<AppContext>) {
        self.reads.record(reads.adding(PersonalReads.ofOperatorRoutes), on: router)
    }

    @Sendable private func republish(_ request: Request, _ context: AppContext) async throws -> Response {
        try context.requireUnrestricted(.operator, as: .supervisor)
        return try jsonResponse(RepublishBody(republished: try await resync()), status: .accepted)
    }
}
