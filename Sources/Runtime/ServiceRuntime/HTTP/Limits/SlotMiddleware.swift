internal import Hummingbird
internal import NIOCore

/// Gives each request the port's slots, body memory and pacer; routes that read their bodies themselves acquire a slot
/// when they have work to do.
struct SlotsMiddleware: RouterMiddleware {
    let slots: RequestSlots
    let memory: BodyMemory
    let pacer: BodyPacer

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.slots = slots
        let heldBody = HeldBody(memory, pacer)
        context.heldBody = heldBody
        defer { heldBody.release() }
        return try await next(request, context)
    }
}

/// Waits for the whole body, then answers within a slot, so that a slow caller holds none.
///
/// Bodies without a token are not read ahead: the route answers 401, and unauthenticated callers use no memory.
struct BodyMiddleware: RouterMiddleware {
    let bodyBytesMax: Int

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var request = request
        if context.identity != nil, request.method != .get, request.method != .head {
            let bytes = try await context.bytes(of: request, by: context.caller, maxBytes: bodyBytesMax)
            request.body = RequestBody(buffer: ByteBuffer(bytes: bytes))
        }
        let whole = request
        return try await context.withSlot(of: context.caller) { try await next(whole, context) }
    }
}
