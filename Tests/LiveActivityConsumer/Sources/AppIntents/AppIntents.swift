public import SwiftUI
import Synchronization

@_exported public import struct ActivityKit.LocalizedStringResource

// A stand-in with the shape of Apple's framework, as far as the sample uses it.

public enum IntentAuthenticationPolicy: Hashable, Sendable {
    case alwaysAllowed, requiresAuthentication, requiresLocalDeviceAuthentication
}

public protocol IntentResult {}

public struct EmptyIntentResult: IntentResult {}

extension IntentResult where Self == EmptyIntentResult {
    public static func result() -> Self { EmptyIntentResult() }
}

public protocol AppIntent: Sendable {
    associatedtype PerformResult: IntentResult
    static var title: LocalizedStringResource { get }
    static var isDiscoverable: Bool { get }
    static var authenticationPolicy: IntentAuthenticationPolicy { get }
    init()
    func perform() async throws -> PerformResult
}

extension AppIntent {
    public typealias Parameter = IntentParameter
    public typealias Dependency = AppDependency
    public static var isDiscoverable: Bool { true }
    public static var authenticationPolicy: IntentAuthenticationPolicy { .alwaysAllowed }
}

public protocol SystemIntent: AppIntent {}
public protocol LiveActivityIntent: SystemIntent {}

@propertyWrapper
public struct IntentParameter<Value: Sendable>: Sendable {
    private var value: Value?

    public init(title: LocalizedStringResource) {}

    public var wrappedValue: Value {
        get {
            guard let value else { preconditionFailure("a parameter was read before it was set") }
            return value
        }
        set { value = newValue }
    }
}

/// Not `Sendable`, as Apple's; what is in it is.
public final class AppDependencyManager: Sendable {
    public static let shared = AppDependencyManager()
    private let values = Mutex<[String: any Sendable]>([:])

    public func add<Dependency>(
        key: AnyHashable? = nil, dependency dependencyProvider: @autoclosure @escaping @Sendable () -> Dependency
    ) where Dependency: Sendable {
        values.withLock { $0[String(reflecting: Dependency.self)] = dependencyProvider() }
    }

    func value<Dependency: Sendable>(_ type: Dependency.Type) -> Dependency? {
        values.withLock { $0[String(reflecting: type)] as? Dependency }
    }
}

@propertyWrapper
public struct AppDependency<Value: Sendable>: Sendable {
    public init() {}

    public var wrappedValue: Value {
        guard let value = AppDependencyManager.shared.value(Value.self) else {
            preconditionFailure("an intent was performed before its dependency was added")
        }
        return value
    }
}

extension Button {
    /// Draws as `acts NAME` beside its label; tests perform what `intents` of a drawing has.
    public init<I: AppIntent>(intent: I, @ViewBuilder label: () -> Label) {
        self.init(noted: "acts \(I.self)", carrying: intent, label: label)
    }
}
