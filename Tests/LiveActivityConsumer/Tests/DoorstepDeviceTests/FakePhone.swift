import DoorstepDevice
import Foundation
import LiveActivity
import Synchronization

/// A phone whose owner, system and pushes a test plays.
final class FakePhone: PhoneActivities {
    private struct State {
        var permission = PhonePermission(activities: true, frequentPushes: true)
        var present: [PhoneActivity] = []
        var ended: [String] = []
        var started: [WantedBody.Activity] = []
        var startFailure: PhoneStartFailure?
        var changes: [String: AsyncStream<PhoneActivityChange>.Continuation] = [:]
    }

    private let state = Mutex(State())
    private let permissionChanges = AsyncStream.makeStream(of: PhonePermission.self)
    private let tokens = AsyncStream.makeStream(of: Data.self)
    private let starts = AsyncStream.makeStream(of: PhoneActivity.self)

    init(present: [PhoneActivity] = []) {
        state.withLock { $0.present = present }
        for activity in present { starts.continuation.yield(activity) }
    }

    // MARK: - What a test does and reads

    var ended: [String] { state.withLock { $0.ended } }
    var started: [WantedBody.Activity] { state.withLock { $0.started } }

    func setPermission(_ permission: PhonePermission) {
        state.withLock { $0.permission = permission }
        permissionChanges.continuation.yield(permission)
    }

    /// The same, and the system forgets to tell.
    func setPermissionSilently(_ permission: PhonePermission) { state.withLock { $0.permission = permission } }

    func setStartToken(_ bytes: [UInt8]) { tokens.continuation.yield(Data(bytes)) }

    func push(_ activity: PhoneActivity) {
        state.withLock { $0.present.append(activity) }
        starts.continuation.yield(activity)
    }

    func refuseStarts(_ code: String) { state.withLock { $0.startFailure = PhoneStartFailure(code: code) } }

    /// Waits until the instance is followed.
    func change(_ instance: String, _ change: PhoneActivityChange) async {
        while true {
            let continuation = state.withLock { $0.changes[instance] }
            if let continuation {
                continuation.yield(change)
                return
            }
            await Task.yield()
        }
    }

    // MARK: - PhoneActivities

    func permission() -> PhonePermission { state.withLock { $0.permission } }
    func permissions() -> AsyncStream<PhonePermission> { permissionChanges.stream }
    func startTokens() -> AsyncStream<Data> { tokens.stream }
    func present() -> [PhoneActivity] { state.withLock { $0.present } }
    func activities() -> AsyncStream<PhoneActivity> { starts.stream }

    func changes(of instance: String) -> AsyncStream<PhoneActivityChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: PhoneActivityChange.self)
        state.withLock { $0.changes[instance] = continuation }
        return stream
    }

    func start(_ activity: WantedBody.Activity) async throws(PhoneStartFailure) -> String {
        if let failure = state.withLock({ $0.startFailure }) { throw failure }
        state.withLock { $0.started.append(activity) }
        return "started-\(activity.activity)"
    }

    func end(_ instance: String) async {
        let continuation = state.withLock { state in
            state.ended.append(instance)
            state.present.removeAll { $0.instance == instance }
            return state.changes[instance]
        }
        continuation?.yield(.state(.dismissed))
    }
}
