import Logging
import ServiceLifecycle

/// Runs a service as a process would.
enum RunningService {
    /// - Parameter body: gets what asks for graceful shutdown; returns once the service has returned too.
    static func run(
        _ service: some Service, _ body: (_ stop: @Sendable @escaping () -> Void) async throws -> Void
    ) async throws {
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    .init(
                        service: service, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .cancelGroup)
                ], logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })))
        async let running: Void = group.run()
        try await body { Task { await group.triggerGracefulShutdown() } }
        await group.triggerGracefulShutdown()
        try await running
    }
}
