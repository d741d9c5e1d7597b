public import Foundation

public protocol ShapeStyle: Sendable {}

public struct Color: ShapeStyle, Hashable {
    private let name: String
    public static let blue = Color(name: "blue")
    public static let teal = Color(name: "teal")
    public static let indigo = Color(name: "indigo")
    public static let green = Color(name: "green")
    public static let mint = Color(name: "mint")
    public static let purple = Color(name: "purple")
    public static let orange = Color(name: "orange")
    public static let cyan = Color(name: "cyan")
    public static let gray = Color(name: "gray")
    public static let primary = Color(name: "primary")
    public static let secondary = Color(name: "secondary")

    init(name: String) { self.name = name }

    public enum RGBColorSpace: Hashable, Sendable { case sRGB }

    public init(_ colorSpace: RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double, opacity: Double = 1) {
        name = "\(red) \(green) \(blue) \(opacity)"
    }

    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) { drawing.add("color \(name)") }
}

public protocol Shape: Sendable {}

public struct Capsule: Shape {
    public init() {}
}

public protocol PrimitiveButtonStyle {}

public struct PlainButtonStyle: PrimitiveButtonStyle {}

extension PrimitiveButtonStyle where Self == PlainButtonStyle {
    public static var plain: PlainButtonStyle { PlainButtonStyle() }
}

public struct AnyTransition: Sendable {
    let name: String
    public static let opacity = AnyTransition(name: "opacity")
    public static func move(edge: Edge) -> AnyTransition { AnyTransition(name: "move") }
    public static func push(from edge: Edge) -> AnyTransition { AnyTransition(name: "push") }
}

public struct HierarchicalShapeStyle: ShapeStyle {}

extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
}

public struct Font: Hashable, Sendable {
    public static let headline = Font()
    public static let subheadline = Font()
    public static let body = Font()
    public static let caption = Font()
    public static let caption2 = Font()
}

public struct ContentTransition: Equatable, Sendable {
    let name: String
    public static let identity = ContentTransition(name: "identity")
    public static let opacity = ContentTransition(name: "opacity")
    public static func numericText(countsDown: Bool = false) -> ContentTransition {
        ContentTransition(name: "numericText")
    }
}

public enum TextAlignment: Hashable, CaseIterable, Sendable { case leading, center, trailing }

public struct Alignment: Equatable, Sendable {
    public static let center = Alignment()
    public static let leading = Alignment()
    public static let trailing = Alignment()
}

public enum Edge: Int8, CaseIterable, Sendable {
    case top, leading, bottom, trailing

    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let all = Set(rawValue: 15)
        public static let horizontal = Set(rawValue: 5)
        public static let vertical = Set(rawValue: 10)
    }
}

public struct AccessibilityChildBehavior: Hashable, Sendable {
    public static let ignore = AccessibilityChildBehavior()
    public static let contain = AccessibilityChildBehavior()
    public static let combine = AccessibilityChildBehavior()
}

extension View {
    public func font(_ font: Font?) -> some View { ModifiedView(self) }
    public func bold(_ isActive: Bool = true) -> some View { ModifiedView(self) }
    public func monospacedDigit() -> some View { ModifiedView(self) }
    public func foregroundStyle<S>(_ style: S) -> some View where S: ShapeStyle { ModifiedView(self, "style \(style)") }
    public func background<S, T>(_ style: S, in shape: T) -> some View where S: ShapeStyle, T: Shape {
        ModifiedView(self)
    }
    public func buttonStyle<S>(_ style: S) -> some View where S: PrimitiveButtonStyle { ModifiedView(self) }
    public func transition(_ t: AnyTransition) -> some View { ModifiedView(self, "comes by \(t.name)") }
    public func dynamicTypeSize(_ size: DynamicTypeSize) -> some View { ModifiedView(self) }
    public func dynamicTypeSize<T>(_ range: T) -> some View where T: RangeExpression, T.Bound == DynamicTypeSize {
        ModifiedView(self)
    }
    public func tint(_ tint: Color?) -> some View { ModifiedView(self) }
    public func contentTransition(_ transition: ContentTransition) -> some View {
        ModifiedView(self, "transition \(transition.name)")
    }
    public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { ModifiedView(self) }
    public func lineLimit(_ number: Int?) -> some View { ModifiedView(self, "lines \(number ?? 0)") }
    public func minimumScaleFactor(_ factor: CGFloat) -> some View { ModifiedView(self) }
    public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { ModifiedView(self) }
    public func padding(_ length: CGFloat) -> some View { ModifiedView(self) }
    public func opacity(_ opacity: Double) -> some View { ModifiedView(self) }
    public func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { ModifiedView(self) }
    public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View {
        ModifiedView(self)
    }
    public func privacySensitive(_ sensitive: Bool = true) -> some View { ModifiedView(self) }
    public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View {
        ModifiedView(self)
    }
    public func accessibilityLabel<S>(_ label: S) -> some View where S: StringProtocol {
        ModifiedView(self, "spoken \(label)")
    }
    public func accessibilityHidden(_ hidden: Bool) -> some View { ModifiedView(self) }
    public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { ModifiedView(self) }
    public func task<T>(
        id value: T, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View where T: Equatable { ModifiedView(self) }
}

extension Color: View, Drawable {}
