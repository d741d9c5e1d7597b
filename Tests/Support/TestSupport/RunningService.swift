package import ServiceLifecycle

/// Runs services as a process would.
package enum RunningService {
    /// - Parameter body: receives the trigger of the graceful shutdown; its return triggers it too, and waits for the
    ///   services' end.
    package static func run(
        _ services: any Service..., isolation: isolated (any Actor)? = #isolation,
        _ body: (_ stop: @Sendable @escaping () async -> Void) async throws -> Void
    ) async throws {
        let group = ServiceGroup(
            configuration: .init(
                services: services.map {
                    .init(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .cancelGroup)
                }, logger: .silent))
        async let running: Void = group.run()
        try await body { await group.triggerGracefulShutdown() }
        await group.triggerGracefulShutdown()
        try await running
    }
}
