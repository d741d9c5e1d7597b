public import Foundation

public struct ActivityContent<State> where State: Decodable, State: Encodable, State: Hashable {
    public let state: State
    public let staleDate: Date?
    public let relevanceScore: Double

    public init(state: State, staleDate: Date?, relevanceScore: Double = 0.0) {
        self.state = state
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
    }
}

extension ActivityContent: Sendable where State: Sendable {}

public enum ActivityState: Sendable, Codable, Hashable {
    case pending, active, ended, dismissed, stale
}

public struct ActivityUIDismissalPolicy: Equatable, Sendable {
    /// When the card is removed; nil for the system's own time.
    private let date: Date?

    public static let `default` = ActivityUIDismissalPolicy(date: nil)
    public static let immediate = ActivityUIDismissalPolicy(date: .distantPast)
    public static func after(_ date: Date) -> ActivityUIDismissalPolicy { ActivityUIDismissalPolicy(date: date) }
}

/// Apple's is a `CustomNSError` too, which is of Darwin.
public enum ActivityAuthorizationError: Error, Equatable, Hashable {
    case attributesTooLarge, unsupported, denied, globalMaximumExceeded, targetMaximumExceeded, unsupportedTarget
    case visibility, persistenceFailure, missingProcessIdentifier, unentitled, malformedActivityIdentifier
    case reconnectNotPermitted

    public var errorCode: Int { 0 }
}

public final class ActivityAuthorizationInfo {
    public init() {}

    public var areActivitiesEnabled: Bool { ActivityKitStandIn.system.withLock { $0.areActivitiesEnabled } }
    public var frequentPushesEnabled: Bool { ActivityKitStandIn.system.withLock { $0.frequentPushesEnabled } }
    public let activityEnablementUpdates = ActivityEnablementUpdates()
    public let frequentPushEnablementUpdates = FrequentPushEnablementUpdates()

    public struct ActivityEnablementUpdates: AsyncSequence {
        public typealias Element = Bool

        public func makeAsyncIterator() -> Iterator { Iterator() }

        public struct Iterator: AsyncIteratorProtocol {
            private let events = Events()

            public mutating func next() async -> Bool? {
                while let event = await events.next() {
                    if case .permission = event { return ActivityAuthorizationInfo().areActivitiesEnabled }
                }
                return nil
            }
        }
    }

    public struct FrequentPushEnablementUpdates: AsyncSequence {
        public typealias Element = Bool

        public func makeAsyncIterator() -> Iterator { Iterator() }

        public struct Iterator: AsyncIteratorProtocol {
            private let events = Events()

            public mutating func next() async -> Bool? {
                while let event = await events.next() {
                    if case .permission = event { return ActivityAuthorizationInfo().frequentPushesEnabled }
                }
                return nil
            }
        }
    }
}
