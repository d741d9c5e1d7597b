import DoorstepDevice
import Foundation
import LiveActivity
import Synchronization

/// A phone whose owner, system and pushes a test plays.
final class FakePhone: PhoneActivities {
    private typealias Pair = (
        stream: AsyncStream<PhoneActivityChange>, continuation: AsyncStream<PhoneActivityChange>.Continuation
    )

    struct Update: Hashable {
        let instance: String
        let content: GroceryDeliveryAttributes.ContentState
        let timestamp: Int
    }

    private struct State {
        var permission = PhonePermission(activities: true, frequentPushes: true)
        var present: [PhoneActivity] = []
        var ended: [String] = []
        var started: [WantedBody.Activity] = []
        var scheduled: [WantedBody.Activity] = []
        var updated: [Update] = []
        var startFailure: PhoneStartFailure?
        var beforeStart: (@Sendable () async -> Void)?
        var afterSchedule: (@Sendable () async -> Void)?
        var changes: [String: AsyncStream<PhoneActivityChange>.Continuation] = [:]
        /// Of instances that nobody follows yet.
        var waiting: [String: Pair] = [:]

        mutating func pair(for instance: String) -> Pair {
            if let waiting = waiting[instance] { return waiting }
            let pair = AsyncStream.makeStream(of: PhoneActivityChange.self)
            waiting[instance] = pair
            return pair
        }
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
    var scheduled: [WantedBody.Activity] { state.withLock { $0.scheduled } }

    var updated: [Update] { state.withLock { $0.updated } }

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

    /// Does something before a card that the app asked for is started or scheduled.
    func beforeStart(_ action: @escaping @Sendable () async -> Void) { state.withLock { $0.beforeStart = action } }

    /// Does something while the app waits for a card to be scheduled.
    func afterSchedule(_ action: @escaping @Sendable () async -> Void) { state.withLock { $0.afterSchedule = action } }

    /// As a push ends it, or the system: it stays on the Lock Screen.
    func setEnded(_ instance: String) {
        state.withLock { state in
            state.present = state.present.map { one in
                guard one.instance == instance else { return one }
                return PhoneActivity(
                    instance: instance, attributes: one.attributes, revision: one.revision, state: .ended)
            }
        }
    }

    /// As a person removes it from the Lock Screen; waits until the instance is followed.
    func swipe(_ instance: String) async {
        state.withLock { state in state.present.removeAll { $0.instance == instance } }
        await change(instance, .state(.dismissed))
    }

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
        state.withLock { state in
            let (stream, continuation) = state.pair(for: instance)
            state.waiting[instance] = nil
            state.changes[instance] = continuation
            return stream
        }
    }

    func start(_ activity: WantedBody.Activity) async throws(PhoneStartFailure) -> String {
        let action = state.withLock { $0.beforeStart }
        await action?()
        if let failure = state.withLock({ $0.startFailure }) { throw failure }
        let started = PhoneActivity(
            instance: "started-\(activity.activity)", attributes: activity.attributes,
            revision: activity.content.revision, state: .active)
        state.withLock { state in
            state.started.append(activity)
            state.present.append(started)
        }
        return started.instance
    }

    /// As iOS 26 does: it is pending, and the sequence of activities tells of it.
    func schedule(_ activity: WantedBody.Activity, alert: PushAlert) async throws(PhoneStartFailure) -> String? {
        let before = state.withLock { $0.beforeStart }
        await before?()
        if let failure = state.withLock({ $0.startFailure }) { throw failure }
        let count = state.withLock { state in
            state.scheduled.append(activity)
            return state.scheduled.count
        }
        let pending = PhoneActivity(
            instance: "scheduled-\(count)", attributes: activity.attributes, revision: activity.content.revision,
            state: .pending)
        push(pending)
        let action = state.withLock { $0.afterSchedule }
        await action?()
        return pending.instance
    }

    /// As ActivityKit does: the content changes, and the sequence of contents tells of it.
    func update(_ instance: String, to activity: WantedBody.Activity, timestamp: Int) async {
        let continuation = state.withLock { state in
            state.updated.append(Update(instance: instance, content: activity.content, timestamp: timestamp))
            state.present = state.present.map { one in
                guard one.instance == instance else { return one }
                return PhoneActivity(
                    instance: instance, attributes: one.attributes, revision: activity.content.revision, state: .active)
            }
            // Where nobody follows yet, the sequence keeps it for its first reader.
            return state.changes[instance] ?? state.pair(for: instance).continuation
        }
        continuation.yield(.shown(activity.content.revision))
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
