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
/// Bodies without a token are not read ahead, since most routes answer 401. A route that reads one has no slot meanwhile,
/// and what it has read is counted like a body with a token.
struct BodyMiddleware: RouterMiddleware {
    let bodyBytesMax: Int

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var request = request
        guard let slots = context.slots else { return try await next(request, context) }
        let slot = HeldSlot(of: slots, caller: context.caller)
        defer { slot.release() }
        if request.method != .get, request.method != .head {
            if context.identity == nil {
                request.body = RequestBody(
                    asyncSequence: BodyWithoutSlot(
                        body: request.body, slot: slot, held: context.heldBody, caller: context.caller))
            } else {
                let bytes = try await context.bytes(of: request, by: context.caller, maxBytes: bodyBytesMax)
                request.body = RequestBody(buffer: ByteBuffer(bytes: bytes))
            }
        }
        try slot.acquire()
        return try await next(request, context)
    }
}

/// A request's body whose reader gives the request's slot back until the body's end.
private struct BodyWithoutSlot: AsyncSequence, Sendable {
    let body: RequestBody
    let slot: HeldSlot
    let held: HeldBody?
    let caller: String

    struct Iterator: AsyncIteratorProtocol {
        let whole: BodyWithoutSlot
        var body: RequestBody.AsyncIterator

        /// - Throws: ``Problem`` where no slot is free at the body's end, and as ``HeldBody/add(_:of:)``; the body's error.
        mutating func next() async throws -> ByteBuffer? {
            whole.slot.release()
            let part = try await body.next()
            if let part {
                try await whole.held?.add(part.readableBytes, of: whole.caller)
            } else {
                try whole.slot.acquire()
            }
            return part
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(whole: self, body: body.makeAsyncIterator()) }
}
