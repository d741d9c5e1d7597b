internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Sends `100 Continue` to a caller that waits for it, once the body is read (RFC 9110 section 10.1.1).
///
/// A caller refused before that receives no `100 Continue` and sends no body.
struct ExpectContinueMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        guard request.head.expectsContinue else { return try await next(request, context) }
        var request = request
        request.body = RequestBody(asyncSequence: AwaitedBody(body: request.body, channel: context.channel))
        return try await next(request, context)
    }
}

/// Signals a connection that its request's body is being read.
struct BodyIsRead: Sendable {}

extension HTTPRequest {
    /// Whether the caller waits for `100 Continue` before it sends the body.
    var expectsContinue: Bool { headerFields[.expect]?.lowercased() == "100-continue" }
}

/// A body that signals its connection on the first read.
private struct AwaitedBody: AsyncSequence, Sendable {
    let body: RequestBody
    let channel: any Channel

    struct Iterator: AsyncIteratorProtocol {
        var body: RequestBody.AsyncIterator
        let channel: any Channel
        var isRead = false

        mutating func next() async throws -> ByteBuffer? {
            if !isRead { channel.triggerUserOutboundEvent(BodyIsRead(), promise: nil) }
            isRead = true
            return try await body.next()
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(body: body.makeAsyncIterator(), channel: channel) }
}
