import DoorstepAPI
import Foundation

/// A listener and the one stream that reads its queue; another stream that continues the listener has another id.
struct ListenerStream: Hashable, Sendable {
    /// Seconds for which a listener's row is valid; a listener whose row is not renewed has lost its process.
    static let openSeconds = 60.0

    let listener: EndpointID
    let id: UUID
}

/// The bounds on listeners whose streams are closed, and which another stream of their programs may continue.
enum KeptListeners {
    /// Seconds after the end of a stream: a restart or an upgrade of `partners` and a change of networks take less, and
    /// a person who comes back later reads `doorstep ops log`.
    static let seconds = 300.0
    /// The most of one store, and of callers for all stores; those that closed last are kept.
    static let perStoreMax = 20
    /// The most waiting events of one: a run of `webhooks listen` holds as many for its program.
    static let waitingMax = 1_000
    /// The most events of one that its streams were sent lately; a program that lags more than that cannot continue.
    static let deliveredMax = 200
}
