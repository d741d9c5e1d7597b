public import Foundation
import Synchronization

// A stand-in with the shape of Apple's framework, as far as the library and its tests use it. It remembers what a
// phone would be shown.

public protocol ActivityAttributes: Codable {
    associatedtype ContentState: Codable, Hashable
}

public struct ActivityContent<State: Codable & Hashable & Sendable>: Sendable {
    public let state: State
    public let staleDate: Date?
    public let relevanceScore: Double

    public init(state: State, staleDate: Date?, relevanceScore: Double = 0) {
        self.state = state
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
    }
}

public struct ActivityUIDismissalPolicy: Equatable, Sendable {
    /// When the card is removed; nil for the system's own time.
    public let date: Date?

    public static let `default` = ActivityUIDismissalPolicy(date: nil)
    public static let immediate = ActivityUIDismissalPolicy(date: .distantPast)
    public static func after(_ date: Date) -> ActivityUIDismissalPolicy { ActivityUIDismissalPolicy(date: date) }
}

public final class Activity<Attributes: ActivityAttributes & Sendable>: Sendable
where Attributes.ContentState: Sendable {
    public let attributes: Attributes
    private let shown: Mutex<Shown>

    private struct Shown {
        var content: ActivityContent<Attributes.ContentState>
        var dismissal: ActivityUIDismissalPolicy?
    }

    private init(_ attributes: Attributes, _ content: ActivityContent<Attributes.ContentState>) {
        self.attributes = attributes
        shown = Mutex(Shown(content: content))
    }

    public static func request(
        attributes: Attributes, content: ActivityContent<Attributes.ContentState>
    ) throws -> Activity<Attributes> { Activity(attributes, content) }

    public var content: ActivityContent<Attributes.ContentState> { shown.withLock { $0.content } }
    /// Nil while it is active.
    public var dismissal: ActivityUIDismissalPolicy? { shown.withLock { $0.dismissal } }

    public func update(_ content: ActivityContent<Attributes.ContentState>) async {
        shown.withLock { if $0.dismissal == nil { $0.content = content } }
    }

    public func end(
        _ content: ActivityContent<Attributes.ContentState>?, dismissalPolicy: ActivityUIDismissalPolicy = .default
    ) async {
        shown.withLock {
            guard $0.dismissal == nil else { return }
            $0.content = content ?? $0.content
            $0.dismissal = dismissalPolicy
        }
    }
}
