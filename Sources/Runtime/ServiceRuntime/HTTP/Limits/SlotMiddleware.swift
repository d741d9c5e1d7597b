internal import Hummingbird
internal import NIOCore

/// Gives each request the port's slots and its memory and pace for bodies; routes that read their bodies themselves take a slot
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
/// Of a caller without a token nothing is read ahead: the route answers 401, and what nobody may send fills no memory.
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
