package import Hummingbird
internal import Logging
internal import NIOCore

/// What is known about a request beside its content.
package struct AppContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// Who sent it; nil without a token.
    ///
    /// A token that is not good never gets this far.
    package var identity: Identity?
    /// Whether the token was revoked since, for answers that go on.
    package var isTokenRevoked: @Sendable () -> Bool = { false }
    /// The address that the request is from; a proxy's where that is not trusted, nil in tests without one.
    package internal(set) var remoteAddress: String?
    /// The slots of the port; nil where requests are not limited.
    var slots: RequestSlots?
    /// What the request holds of the port's memory for bodies; nil where that is not limited.
    var heldBody: HeldBody?
    /// The connection that it came on.
    let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        remoteAddress = source.channel.remoteAddress?.ipAddress
    }
}
