internal import Hummingbird
internal import NIOCore

/// Gives each request the port's slots; routes that read their bodies themselves take one when they have work to do.
struct SlotsMiddleware: RouterMiddleware {
    let slots: RequestSlots

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.slots = slots
        return try await next(request, context)
    }
}

/// Waits for the whole body, then answers within a slot, so that a slow caller holds none.
///
/// Of a caller without a token nothing is read ahead: the route answers 401, and what nobody may send fills no memory.
struct BodyMiddleware: RouterMiddleware {
    let bodyBytesMax: Int

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var request = request
        if context.identity != nil, request.method != .get, request.method != .head {
            request.body = RequestBody(buffer: ByteBuffer(bytes: try await request.bytes(maxBytes: bodyBytesMax)))
        }
        let whole = request
        return try await context.withSlot(of: context.caller) { try await next(whole, context) }
    }
}
