import Foundation
import Synchronization
import TestSupport
import WebhookSender

/// The receivers of webhooks, which a test answers for.
final class ReceiversByTest: Sendable {
    /// What was posted.
    struct Posted: Hashable, Sendable {
        let url: String
        let headers: [String: String]
        let body: Data

        var id: String { headers["webhook-id"] ?? "" }
    }

    private struct State {
        var posted: [Posted] = []
        var answer: @Sendable (Posted) -> WebhookResult = { _ in .answered(status: 204, excerpt: "", retryAfter: nil) }
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Everything that was posted, in its order.
    var posted: [Posted] { state.withLock(\.posted) }

    func waitUntilPosted(_ count: Int) async throws {
        try await eventually("\(count) webhooks are posted") { posted.count >= count }
    }

    /// Forgets what was posted.
    func clear() { state.withLock { $0.posted = [] } }

    /// Has receivers answer nothing until ``release()``.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let held = state.withLock { state in
            defer { (state.isHeld, state.held) = (false, []) }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Has receivers answer so from now on.
    func answer(_ answer: @escaping @Sendable (Posted) -> WebhookResult) { state.withLock { $0.answer = answer } }

    /// Has receivers answer with a status.
    func answer(_ status: Int, retryAfter: Duration? = nil) {
        answer { _ in .answered(status: status, excerpt: "because", retryAfter: retryAfter) }
    }

    var post: @Sendable (Data, [(String, String)], WebhookURL) async -> WebhookResult {
        { body, headers, url in
            let posted = Posted(
                url: url.text, headers: Dictionary(headers) { first, _ in first }, body: body)
            let result = self.state.withLock { state in
                state.posted.append(posted)
                return state.answer(posted)
            }
            await withCheckedContinuation { continuation in
                let isHeld = self.state.withLock { state in
                    if state.isHeld { state.held.append(continuation) }
                    return state.isHeld
                }
                if !isHeld { continuation.resume() }
            }
            return result
        }
    }
}
