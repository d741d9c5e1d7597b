internal import HTTPTypes
package import Hummingbird

/// Answers requests for event streams each in a task of its own, and all others in the task of their connection.
package struct StreamsInOwnTasks<Responder: HTTPResponder>: HTTPResponder where Responder.Context == AppContext {
    let responder: Responder

    /// Answers a request.
    /// - Throws: what the responder throws.
    package func respond(to request: Request, context: AppContext) async throws -> Response {
        guard request.headers[.accept]?.contains("text/event-stream") == true else {
            return try await responder.respond(to: request, context: context)
        }
        return try await inOwnTask { try await responder.respond(to: request, context: context) }
    }
}

/// Runs work in a child task, and frees all the memory of its calls when it ends.
///
/// Swift keeps the memory of a task's calls until the task ends, as much as its deepest call ever had: the task of a
/// connection whose stream waits for hours kept 46 KiB of the request that opened it.
/// - Throws: what the work throws.
func inOwnTask<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    async let value = work()
    return try await value
}
