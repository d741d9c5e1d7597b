@MainActor @preconcurrency
public protocol Scene {}

@resultBuilder
public enum SceneBuilder {
    public static func buildBlock<Content>(_ content: Content) -> Content where Content: Scene { content }
}

@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

extension App {
    @MainActor @preconcurrency public static func main() { _ = Self.init() }
}

public struct WindowGroup<Content>: Scene where Content: View {
    /// What tests draw.
    public let content: Content
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

@MainActor @preconcurrency
public protocol WidgetConfiguration {}

@MainActor @preconcurrency
public protocol Widget {
    associatedtype Body: WidgetConfiguration
    @MainActor @preconcurrency init()
    @MainActor @preconcurrency var body: Body { get }
}

@resultBuilder
public enum WidgetBundleBuilder {
    public static func buildBlock<Content>(_ content: Content) -> Content where Content: Widget { content }
}

@MainActor @preconcurrency
public protocol WidgetBundle {
    associatedtype Body: Widget
    @MainActor @preconcurrency init()
    @WidgetBundleBuilder @MainActor @preconcurrency var body: Body { get }
}

extension WidgetBundle {
    @MainActor @preconcurrency public static func main() { _ = Self.init() }
}
