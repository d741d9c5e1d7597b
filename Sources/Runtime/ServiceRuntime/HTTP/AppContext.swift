package import DoorstepAPI
package import Hummingbird
internal import Logging
internal import NIOCore

/// A request's context besides its content.
package struct AppContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The caller; nil without a token.
    ///
    /// An invalid token never reaches a route.
    package var identity: Identity?
    /// Whether the token was revoked meanwhile, for streaming answers.
    package var isTokenRevoked: @Sendable () -> Bool = { false }
    /// Counts persons whose data a stream sends later, where the request is a read that is recorded.
    package internal(set) var noteStreamed: @Sendable (Persons) -> Void = { _ in }
    /// The address that the request is from; a proxy's where that is not trusted, nil in tests without one.
    package internal(set) var remoteAddress: String?
    /// The slots of the port; nil where requests are not limited.
    var slots: RequestSlots?
    /// The request's share of the port's body memory; nil where that is unlimited.
    var heldBody: HeldBody?
    /// The connection that it came on.
    let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        remoteAddress = source.channel.remoteAddress?.ipAddress
    }
}
