internal import DoorstepAPI
package import Hummingbird
package import ReliableMessaging

/// The routes below `/v1/admin` of every service: its dead letters, and the resync.
package struct OperatorRoutes: Sendable {
    /// The query parameters of these routes.
    package static let queryParameters: [String: Set<String>] = ["GET /v1/admin/dead-letters": ["cursor"]]

    private let deadLetters: DeadLetterRoutes
    private let resync: @Sendable () async throws -> Int

    /// - Parameter resync: republishes everything live and returns the number of objects.
    package init(
        _ deadLetters: DeadLetters, wakeRelay: @escaping @Sendable () -> Void,
        resync: @escaping @Sendable () async throws -> Int
    ) {
        self.deadLetters = DeadLetterRoutes(deadLetters, wakeRelay: wakeRelay)
        self.resync = resync
    }

    package func addRoutes(to router: Router<AppContext>) {
        router.post("v1/admin/republish", use: republish)
        deadLetters.addRoutes(to: router)
    }

    @Sendable private func republish(_ request: Request, _ context: AppContext) async throws -> Response {
        try context.requireUnrestricted(.operator, as: .supervisor)
        return try jsonResponse(RepublishBody(republished: try await resync()), status: .accepted)
    }
}
