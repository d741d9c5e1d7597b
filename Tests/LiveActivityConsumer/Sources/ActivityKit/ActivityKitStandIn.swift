public import Foundation
import Synchronization

// A stand-in with the shape of Apple's framework, as far as the package, the sample and their tests use it.
// What has a name in Apple's framework has Apple's declaration; what tests steer it with is in `ActivityKitStandIn`.

/// The system behind the stand-in: what a phone keeps of activities, encoded with default strategies as a phone does.
public enum ActivityKitStandIn {
    struct Entry {
        let attributesType: String
        let attributes: Data
        var state: Data
        var staleDate: Date?
        var relevance: Double
        /// Of the newest push or update that had one.
        var timestamp = Date.distantPast
        var activityState: ActivityState = .active
        var token: Data?
        var dismissal: ActivityUIDismissalPolicy?
        /// Of a scheduled one.
        var alert: AlertConfiguration?
        var start: Date?
    }

    enum Event {
        case started(String)
        case token(String, Data)
        case content(String)
        case state(String, ActivityState)
        case startToken(String, Data)
        case permission
    }

    struct System {
        var entries: [String: Entry] = [:]
        var order: [String] = []
        var startTokens: [String: Data] = [:]
        var areActivitiesEnabled = true
        var frequentPushesEnabled = true
        var observers: [UUID: AsyncStream<Event>.Continuation] = [:]
        var isForeground = true
    }

    /// A phone; each test may have its own.
    public final class Phone: Sendable {
        private let system = Mutex(System())

        public init() {}

        func withLock<Result: Sendable>(_ body: (inout System) -> sending Result) -> Result {
            system.withLock { system in body(&system) }
        }
    }

    @TaskLocal public static var system = Phone()

    static func change<Result: Sendable>(_ body: @Sendable (inout System) -> (Result, [Event])) -> Result {
        let (result, events, observers) = system.withLock { system in
            let (result, events) = body(&system)
            return (result, events, Array(system.observers.values))
        }
        for event in events { for observer in observers { observer.yield(event) } }
        return result
    }

    static func events() -> AsyncStream<Event> {
        let id = UUID()
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        let phone = system
        phone.withLock { $0.observers[id] = continuation }
        continuation.onTermination = { _ in phone.withLock { _ = $0.observers.removeValue(forKey: id) } }
        return stream
    }

    // MARK: - What tests do

    /// How many sequences are being read.
    public static var observers: Int { system.withLock { $0.observers.count } }

    /// Starts an activity as a push does.
    public static func push<Attributes: ActivityAttributes>(
        start attributes: Attributes, state: Attributes.ContentState
    ) throws -> String {
        try Activity<Attributes>.add(attributes, state, staleDate: nil, relevance: 0)
    }

    public static func setToken(_ token: Data, of instance: String) {
        change { ($0.entries[instance]?.token = token, [.token(instance, token)]) }
    }

    public static func setStartToken(_ token: Data, for attributesType: (some ActivityAttributes).Type) {
        let type = String(describing: attributesType)
        change { ($0.startTokens[type] = token, [.startToken(type, token)]) }
    }

    public static func push(
        state: some Encodable & Sendable, to instance: String, timestamp: Date = .distantPast
    ) throws {
        let data = try JSONEncoder().encode(state)
        change { system in
            system.entries[instance]?.timestamp = timestamp
            return (system.entries[instance]?.state = data, [.content(instance)])
        }
    }

    /// As a person swipes it away, or the stale date passes.
    public static func setState(_ state: ActivityState, of instance: String) {
        change { ($0.entries[instance]?.activityState = state, [.state(instance, state)]) }
    }

    public static func setPermission(activities: Bool, frequentPushes: Bool) {
        change {
            $0.areActivitiesEnabled = activities
            $0.frequentPushesEnabled = frequentPushes
            return ((), [.permission])
        }
    }

    public static func setForeground(_ isForeground: Bool) {
        system.withLock { $0.isForeground = isForeground }
    }

    /// What it was ended with; nil while it is active.
    public static func dismissal(of instance: String) -> ActivityUIDismissalPolicy? {
        system.withLock { $0.entries[instance]?.dismissal }
    }
}
