internal import NIOCore

/// A request from the beginning of its caller's wait to its result.
///
/// The caller's task creates the request and hands it to the event loop; from then on only the loop changes it.
final class PendingPush: Sendable {
    let request: APNsRequest
    let token: ProviderToken
    let deadline: NIODeadline
    // Written before the hand-over to the event loop through a lock, and then on the loop only.
    private nonisolated(unsafe) var continuation: CheckedContinuation<APNsResult, Never>?
    // On the event loop only.
    nonisolated(unsafe) var stage = Stage.new

    enum Stage {
        case new
        /// Cancelled before the loop knew of it.
        case cancelled
        case waiting
        case sent(PushConnection, streamID: Int32)
        case done
    }

    init(_ request: APNsRequest, token: ProviderToken, deadline: NIODeadline) {
        self.request = request
        self.token = token
        self.deadline = deadline
    }

    /// Stores the caller's continuation; once, before the event loop receives the request.
    func wait(in continuation: CheckedContinuation<APNsResult, Never>) { self.continuation = continuation }

    /// True once the caller has its result.
    var isDone: Bool { if case .done = stage { true } else { false } }

    /// Resumes the caller; a second call does nothing.
    /// - Returns: true for the first call.
    @discardableResult
    func finish(_ result: APNsResult) -> Bool {
        guard !isDone else { return false }
        stage = .done
        continuation?.resume(returning: result)
        continuation = nil
        return true
    }
}
