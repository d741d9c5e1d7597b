package import DomainTime

/// One of the three services.
package enum ServiceName: String, CaseIterable, Sendable {
    case orders
    case courierETA = "courier-eta"
    case dispatch = "activity-dispatch"

    /// Its role in Postgres.
    package var role: String { rawValue.replacing("-", with: "_") }
}

/// What a town lives in: processes of this machine, or containers.
///
/// Shops, couriers and devices reach it over HTTP.
package protocol TownStack: Sendable {
    /// The clock that every process of it has.
    var clock: DomainClock { get }
    var tokens: Tokens { get }
    /// The services' warnings and errors, newest last, to explain a failure with.
    var complaints: String { get async }

    /// The base URL of one replica, each in turn.
    func url(_ service: ServiceName) -> String

    /// Ends everything, and leaves nothing behind.
    func stop() async
}
