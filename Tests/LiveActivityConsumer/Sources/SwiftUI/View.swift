// A stand-in with the shape of Apple's framework, as far as the package and the sample use it. What has a name there has
// Apple's declaration; `Drawing` is what tests read.

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public typealias Body = Never
    public var body: Never { fatalError("Never has no body") }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildExpression<Content>(_ content: Content) -> Content where Content: View { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content>(_ content: Content) -> Content where Content: View { content }
    public static func buildBlock<each Content>(_ content: repeat each Content) -> TupleView<(repeat each Content)>
    where repeat each Content: View {
        var views: [any View] = []
        repeat views.append(each content)
        return TupleView(views)
    }
    public static func buildIf<Content>(_ content: Content?) -> Content? where Content: View { content }
    public static func buildEither<TrueContent, FalseContent>(
        first: TrueContent
    ) -> _ConditionalContent<TrueContent, FalseContent> where TrueContent: View, FalseContent: View {
        _ConditionalContent(first)
    }
    public static func buildEither<TrueContent, FalseContent>(
        second: FalseContent
    ) -> _ConditionalContent<TrueContent, FalseContent> where TrueContent: View, FalseContent: View {
        _ConditionalContent(second)
    }
    public static func buildLimitedAvailability<Content>(_ content: Content) -> AnyView where Content: View {
        AnyView(content)
    }
}

/// What a view says, as tests read it.
@MainActor
public protocol Drawable {
    func draw(into drawing: inout Drawing)
}

/// A view as lines: its texts, timers, images, links and what was set on it, in order.
@MainActor
public struct Drawing {
    public private(set) var lines: [String] = []
    /// What its buttons perform, in order.
    public var intents: [any Sendable] = []

    public init(_ view: any View) { draw(view) }

    public mutating func add(_ line: String) { lines.append(line) }

    public mutating func draw(_ view: any View) {
        if let drawable = view as? any Drawable {
            drawable.draw(into: &self)
        } else {
            drawBody(of: view)
        }
    }

    private mutating func drawBody(of view: some View) { draw(view.body) }
}

public struct EmptyView {
    public init() {}
    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) {}
}

public struct TupleView<T> {
    private let views: [any View]
    init(_ views: [any View]) { self.views = views }
    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) { for view in views { drawing.draw(view) } }
}

public struct AnyView {
    private let view: any View
    public init<V>(_ view: V) where V: View { self.view = view }
    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) { drawing.draw(view) }
}

public struct _ConditionalContent<TrueContent, FalseContent> {
    private let view: any View
    init(_ view: any View) { self.view = view }
    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) { drawing.draw(view) }
}

extension Optional: View where Wrapped: View {
    public typealias Body = Never
    public var body: Never { fatalError() }
}

extension Optional: Drawable where Wrapped: View {
    @MainActor public func draw(into drawing: inout Drawing) { if let self { drawing.draw(self) } }
}

/// A view with something set on it.
public struct ModifiedView<Content: View> {
    private let content: Content
    private let note: String?

    public init(_ content: Content, _ note: String? = nil) {
        self.content = content
        self.note = note
    }

    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) {
        if let note { drawing.add(note) }
        drawing.draw(content)
    }
}

extension EmptyView: View, Drawable {}
extension TupleView: View, Drawable {}
extension AnyView: View, Drawable {}
extension _ConditionalContent: View, Drawable {}
extension ModifiedView: View, Drawable {}
