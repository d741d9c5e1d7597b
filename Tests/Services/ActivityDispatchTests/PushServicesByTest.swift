import Foundation
import Synchronization
import WebPushClient

@testable import ActivityDispatch

/// Push services that answer as a test asks them to.
final class PushServicesByTest: Sendable {
    private struct State {
        var answers: [WebPushResult] = []
        var messages: [(body: String, endpoint: String)] = []
        var heldEndpoint: String?
        var held: [CheckedContinuation<WebPushResult, Never>] = []
        var waiters: [(count: Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// What was handed over: the alerts' texts.
    var bodies: [String] { state.withLock { $0.messages.map(\.body) } }
    var endpoints: Set<String> { state.withLock { Set($0.messages.map(\.endpoint)) } }

    /// - Parameter results: of the next messages; those after them are delivered.
    func answer(_ results: WebPushResult...) { state.withLock { $0.answers = results } }

    /// Answers nothing about a browser until ``letGo(_:)``.
    func hold(_ endpoint: String) { state.withLock { $0.heldEndpoint = endpoint } }

    func letGo(_ result: WebPushResult) {
        let held = state.withLock { state in
            defer { (state.held, state.heldEndpoint) = ([], nil) }
            return state.held
        }
        for one in held { one.resume(returning: result) }
    }

    func send(_ message: WebPushMessage, _ browser: WebPushSubscription) async -> WebPushResult {
        let content = try? JSONDecoder().decode(AlertNotification.Content.self, from: Data(message.plaintext))
        let (isHeld, ready) = state.withLock { state in
            state.messages.append((content?.body ?? "unreadable", browser.endpoint))
            let ready = state.waiters.filter { $0.count <= state.messages.count }
            state.waiters.removeAll { $0.count <= state.messages.count }
            return (state.heldEndpoint == browser.endpoint, ready)
        }
        for waiter in ready { waiter.1.resume() }
        if isHeld { return await withCheckedContinuation { held in state.withLock { $0.held.append(held) } } }
        return state.withLock { $0.answers.isEmpty ? .delivered : $0.answers.removeFirst() }
    }

    func waitUntilSent(_ count: Int) async {
        await withCheckedContinuation { waiter in
            let isThere = state.withLock { state in
                if state.messages.count >= count { return true }
                state.waiters.append((count, waiter))
                return false
            }
            if isThere { waiter.resume() }
        }
    }
}
