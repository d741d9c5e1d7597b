package import DomainTime
import TestSupport
import Testing

/// One of the services.
package enum ServiceName: String, CaseIterable, Sendable {
    case orders
    case courierETA = "courier-eta"
    case dispatch = "activity-dispatch"
    case desk
    case partners

    /// The services that publish and consume messages: deliveries, estimates, cards and providers' reports.
    package static let messaging: [ServiceName] = [.orders, .courierETA, .dispatch, .partners]

    /// The service's role in Postgres.
    package var role: String { rawValue.replacing("-", with: "_") }
}

/// The stack that a simulation runs against: processes on this machine, or containers.
///
/// Shops, couriers and devices reach it over HTTP.
package protocol StackUnderTest: Sendable {
    /// The clock that all its processes share.
    var clock: DomainClock { get }
    var tokens: Tokens { get }
    /// The services' warnings and errors, newest last, to explain a failure with.
    var recentWarnings: String { get async }

    /// The base URL of a replica, round robin.
    func url(_ service: ServiceName) -> String

    /// Stops everything and removes what it left.
    func stop() async
}

extension StackUnderTest {
    /// Runs a scenario and stops the stack; where the scenario fails, what the services logged is recorded too.
    package func whileUp(_ scenario: () async throws -> Void) async throws {
        try await withTeardown({ await stop() }) {
            do {
                try await scenario()
            } catch {
                Issue.record("warnings and errors of the services:\n\(await recentWarnings)")
                throw error
            }
        }
    }
}
