public import Foundation

public protocol ActivityAttributes: Decodable, Encodable {
    associatedtype ContentState: Decodable, Encodable, Hashable
}

public struct PushType: Hashable, Sendable {
    let name: String

    public static var token: PushType { PushType(name: "token") }
}

/// Not `Sendable`, as Apple's.
public class Activity<Attributes>: Identifiable where Attributes: ActivityAttributes {
    public typealias ContentState = Attributes.ContentState

    public final let id: String
    public final let attributes: Attributes

    init?(_ id: String) {
        let data = ActivityKitStandIn.system.withLock { system in
            system.entries[id].flatMap {
                $0.attributesType == String(describing: Attributes.self) ? $0.attributes : nil
            }
        }
        guard let data, let attributes = try? JSONDecoder().decode(Attributes.self, from: data) else { return nil }
        self.id = id
        self.attributes = attributes
    }

    static func add(
        _ attributes: Attributes, _ state: ContentState, staleDate: Date?, relevance: Double
    ) throws -> String {
        let entry = ActivityKitStandIn.Entry(
            attributesType: String(describing: Attributes.self), attributes: try JSONEncoder().encode(attributes),
            state: try JSONEncoder().encode(state), staleDate: staleDate, relevance: relevance)
        guard entry.attributes.count + entry.state.count <= 4096 else {
            throw ActivityAuthorizationError.attributesTooLarge
        }
        let id = UUID().uuidString
        ActivityKitStandIn.change { system in
            system.entries[id] = entry
            system.order.append(id)
            return ((), [.started(id)])
        }
        return id
    }

    public static func request(
        attributes: Attributes, content: ActivityContent<Activity<Attributes>.ContentState>, pushType: PushType? = nil
    ) throws -> Activity<Attributes> {
        let (isEnabled, isForeground) = ActivityKitStandIn.system.withLock {
            ($0.areActivitiesEnabled, $0.isForeground)
        }
        guard isEnabled else { throw ActivityAuthorizationError.denied }
        guard isForeground else { throw ActivityAuthorizationError.visibility }
        let id = try add(
            attributes, content.state, staleDate: content.staleDate, relevance: content.relevanceScore)
        guard let activity = Activity(id) else { throw ActivityAuthorizationError.persistenceFailure }
        return activity
    }

    public static var activities: [Activity<Attributes>] {
        let ids = ActivityKitStandIn.system.withLock { system in
            system.order.filter { system.entries[$0]?.activityState != .dismissed }
        }
        return ids.compactMap { Activity($0) }
    }

    public static var activityUpdates: Activity<Attributes>.ActivityUpdates { ActivityUpdates() }

    public var activityState: ActivityState {
        ActivityKitStandIn.system.withLock { $0.entries[id]?.activityState ?? .dismissed }
    }

    public var activityStateUpdates: Activity<Attributes>.ActivityStateUpdates { ActivityStateUpdates(id: id) }

    public var content: ActivityContent<Activity<Attributes>.ContentState> {
        guard let entry = ActivityKitStandIn.system.withLock({ $0.entries[id] }),
            let state = try? JSONDecoder().decode(ContentState.self, from: entry.state)
        else { preconditionFailure("an activity was used on another phone than its own") }
        return ActivityContent(state: state, staleDate: entry.staleDate, relevanceScore: entry.relevance)
    }

    public var contentUpdates: Activity<Attributes>.ContentUpdates { ContentUpdates(id: id) }

    public var pushToken: Data? { ActivityKitStandIn.system.withLock { $0.entries[id]?.token } }

    public var pushTokenUpdates: Activity<Attributes>.PushTokenUpdates { PushTokenUpdates(id: id) }

    public static var pushToStartTokenUpdates: Activity<Attributes>.PushTokenUpdates { PushTokenUpdates(id: nil) }

    public static var pushToStartToken: Data? {
        ActivityKitStandIn.system.withLock { $0.startTokens[String(describing: Attributes.self)] }
    }

    public func update(_ content: ActivityContent<Activity<Attributes>.ContentState>) async {
        change(content, timestamp: nil)
    }

    public func update(
        _ content: ActivityContent<Activity<Attributes>.ContentState>, alertConfiguration: AlertConfiguration? = nil,
        timestamp: Date
    ) async { change(content, timestamp: timestamp) }

    private func change(_ content: ActivityContent<Activity<Attributes>.ContentState>, timestamp: Date?) {
        guard let data = try? JSONEncoder().encode(content.state) else { return }
        let (id, staleDate, relevance) = (self.id, content.staleDate, content.relevanceScore)
        ActivityKitStandIn.change { system in
            guard system.entries[id]?.dismissal == nil else { return ((), []) }
            if let timestamp {
                guard system.entries[id].map({ $0.timestamp <= timestamp }) ?? false else { return ((), []) }
                system.entries[id]?.timestamp = timestamp
            }
            system.entries[id]?.state = data
            system.entries[id]?.staleDate = staleDate
            system.entries[id]?.relevance = relevance
            return ((), [.content(id)])
        }
    }

    public func end(
        _ content: ActivityContent<Activity<Attributes>.ContentState>?,
        dismissalPolicy: ActivityUIDismissalPolicy = .default
    ) async {
        let data = content.flatMap { try? JSONEncoder().encode($0.state) }
        let id = self.id
        ActivityKitStandIn.change { system in
            guard system.entries[id]?.dismissal == nil else { return ((), []) }
            if let data { system.entries[id]?.state = data }
            system.entries[id]?.dismissal = dismissalPolicy
            let state: ActivityState = dismissalPolicy == .immediate ? .dismissed : .ended
            system.entries[id]?.activityState = state
            return ((), [.state(id, state)])
        }
    }
}

extension Activity {
    public struct ActivityUpdates: AsyncSequence {
        public typealias Element = Activity<Attributes>

        public func makeAsyncIterator() -> Iterator { Iterator() }

        public struct Iterator: AsyncIteratorProtocol {
            private let events = Events()

            public func next() async -> Activity<Attributes>? {
                while let event = await events.next() {
                    if case .started(let id) = event, let activity = Activity(id) { return activity }
                }
                return nil
            }
        }
    }

    public struct ActivityStateUpdates: AsyncSequence {
        public typealias Element = ActivityState
        let id: String

        public func makeAsyncIterator() -> Iterator { Iterator(id: id) }

        public struct Iterator: AsyncIteratorProtocol {
            let id: String
            private let events = Events()

            init(id: String) { self.id = id }

            public func next() async -> ActivityState? {
                while let event = await events.next() {
                    if case .state(id, let state) = event { return state }
                }
                return nil
            }
        }
    }

    public struct ContentUpdates: AsyncSequence {
        public typealias Element = ActivityContent<Activity<Attributes>.ContentState>
        let id: String

        public func makeAsyncIterator() -> Iterator { Iterator(id: id) }

        public struct Iterator: AsyncIteratorProtocol {
            let id: String
            private let events = Events()

            init(id: String) { self.id = id }

            public func next() async -> Element? {
                while let event = await events.next() {
                    if case .content(id) = event, let activity = Activity(id) { return activity.content }
                }
                return nil
            }

            public typealias Element = ContentUpdates.Element
        }
    }

    public struct PushTokenUpdates: AsyncSequence {
        public typealias Element = Data
        /// Nil for the token of starts.
        let id: String?

        public func makeAsyncIterator() -> Iterator { Iterator(id: id) }

        public struct Iterator: AsyncIteratorProtocol {
            let id: String?
            private let events = Events()

            init(id: String?) { self.id = id }

            public func next() async -> Data? {
                while let event = await events.next() {
                    switch event {
                    case .token(let instance, let token) where instance == id: return token
                    case .startToken(String(describing: Attributes.self), let token) where id == nil: return token
                    default: continue
                    }
                }
                return nil
            }
        }
    }
}

/// The stand-in's events, read by one iterator.
final class Events {
    private let stream = ActivityKitStandIn.events()
    private var iterator: AsyncStream<ActivityKitStandIn.Event>.Iterator?

    func next() async -> ActivityKitStandIn.Event? {
        var iterator = self.iterator ?? stream.makeAsyncIterator()
        let event = await iterator.next()
        self.iterator = iterator
        return event
    }
}
