public struct EnvironmentValues: Sendable {
    public var isLuminanceReduced = false
    public var scenePhase = ScenePhase.active
    public var colorScheme = ColorScheme.light
    public var colorSchemeContrast = ColorSchemeContrast.standard
    public var accessibilityReduceTransparency = false
    public var dynamicTypeSize = DynamicTypeSize.large
    public var redactionReasons: RedactionReasons = []
    /// What modules beside this one keep in it.
    public var others: [String: any Sendable] = [:]

    public init() {}

    /// What tests set before they draw.
    @MainActor public static var drawn = EnvironmentValues()
}

public struct RedactionReasons: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let placeholder = RedactionReasons(rawValue: 1)
    public static let privacy = RedactionReasons(rawValue: 2)
}

public enum ColorScheme: CaseIterable, Hashable, Sendable { case light, dark }

public enum ColorSchemeContrast: CaseIterable, Hashable, Sendable { case standard, increased }

public enum DynamicTypeSize: CaseIterable, Comparable, Hashable, Sendable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5
}

public enum ScenePhase: Comparable, Hashable, Sendable { case background, inactive, active }

@propertyWrapper
@MainActor
public struct Environment<Value> {
    private let keyPath: KeyPath<EnvironmentValues, Value>

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }

    public var wrappedValue: Value { EnvironmentValues.drawn[keyPath: keyPath] }
}

@propertyWrapper
@MainActor
public struct State<Value> {
    private final class Box {
        var value: Value
        init(_ value: Value) { self.value = value }
    }
    private let box: Box

    public init(wrappedValue value: Value) { box = Box(value) }

    public var wrappedValue: Value {
        get { box.value }
        nonmutating set { box.value = newValue }
    }
}
