internal import Foundation
package import Logging
internal import ProcessSettings
package import ServiceLifecycle
internal import UnixSignals

/// Runs a process's services until SIGTERM or SIGINT, then stops them in reverse order.
///
/// Each service may use those before it. All of them share `drainTimeout`, plus a few seconds for the services that end
/// the connections; then they are cancelled. A failed service stops the others the same way.
/// - Throws: the error of the service that failed.
package func runService(_ services: [any Service], drainTimeout: Duration, logger: Logger) async throws {
    try await serviceGroup(services, drainTimeout: drainTimeout, signals: [.sigterm, .sigint], logger: logger).run()
}

func serviceGroup(
    _ services: [any Service], drainTimeout: Duration, signals: [UnixSignal], logger: Logger
) -> ServiceGroup {
    var configuration = ServiceGroupConfiguration(
        services: services.map {
            .init(
                service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup)
        },
        gracefulShutdownSignals: signals, logger: logger)
    configuration.maximumGracefulShutdownDuration = drainTimeout + .seconds(5)
    configuration.maximumCancellationDuration = .seconds(5)
    return ServiceGroup(configuration: configuration)
}

/// The end of a process that could not start or failed: its exit code and its last line on standard error.
package struct ProcessFailure: Hashable, Sendable {
    /// 2 for a setting that must be corrected, 1 for anything else.
    package let exitCode: Int32
    package let line: String

    package init(_ error: any Error, service: String) {
        let isConfiguration = error is ConfigurationError
        exitCode = isConfiguration ? 2 : 1
        let text = String(describing: error).split(whereSeparator: \.isNewline).joined(separator: " ")
        line = "\(service): " + (isConfiguration ? "configuration: " : "failed: ") + text
    }
}

/// Runs a whole process: `main` is this call and nothing else.
///
/// Returns when `work` does, which is exit code 0. When it throws, writes the reason in one line to standard error and exits
/// with 2 for a ``ConfigurationError``, 1 for anything else.
package func runToExit(service: String, _ work: () async throws -> Void) async {
    do {
        try await work()
    } catch {
        let failure = ProcessFailure(error, service: service)
        writeToStandardError(failure.line + "\n")
        exit(failure.exitCode)
    }
}
