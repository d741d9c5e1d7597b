internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Has a caller who waits for that told to send its body, once the body is read (RFC 9110 section 10.1.1).
///
/// Whoever is refused before that is told nothing and sends nothing.
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

/// Says to a connection that the body of its request is being read.
struct BodyIsRead: Sendable {}

extension HTTPRequest {
    /// Whether the caller waits for `100 Continue` before it sends the body.
    var expectsContinue: Bool { headerFields[.expect]?.lowercased() == "100-continue" }
}

/// A body whose connection is told when it is read.
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
