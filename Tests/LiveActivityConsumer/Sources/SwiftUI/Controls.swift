public import Foundation

public struct Text: Equatable {
    private let words: String

    public init<S>(_ content: S) where S: StringProtocol { words = String(content) }
    public init(verbatim content: String) { words = content }
    public init(
        timerInterval: ClosedRange<Date>, pauseTime: Date? = nil, countsDown: Bool = true, showsHours: Bool = true
    ) {
        words =
            "timer \(Int(timerInterval.lowerBound.timeIntervalSince1970)) \(Int(timerInterval.upperBound.timeIntervalSince1970))"
    }

    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) { drawing.add(words) }
}

public struct Image {
    private let name: String
    public init(systemName: String) { name = systemName }
    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) { drawing.add("image \(name)") }
}

public struct Spacer {
    public init(minLength: CGFloat? = nil) {}
    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) {}
}

public struct HorizontalAlignment: Equatable, Sendable {
    public static let leading = HorizontalAlignment()
    public static let center = HorizontalAlignment()
    public static let trailing = HorizontalAlignment()
}

public struct VerticalAlignment: Equatable, Sendable {
    public static let top = VerticalAlignment()
    public static let center = VerticalAlignment()
    public static let firstTextBaseline = VerticalAlignment()
}

public struct HStack<Content> where Content: View {
    private let content: Content
    public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) { self.content = content() }
    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) { drawing.draw(content) }
}

public struct VStack<Content> where Content: View {
    private let content: Content
    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) { self.content = content() }
    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) { drawing.draw(content) }
}

public struct ForEach<Data, ID, Content>
where Data: RandomAccessCollection, ID: Hashable, Content: View {
    private let views: [any View]
    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) { views = data.map { content($0) } }
    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) { for view in views { drawing.draw(view) } }
}

public struct Link<Label> where Label: View {
    private let destination: URL
    private let label: Label
    public init(destination: URL, @ViewBuilder label: () -> Label) {
        self.destination = destination
        self.label = label()
    }
    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) {
        drawing.add("link \(destination.absoluteString)")
        drawing.draw(label)
    }
}

public struct Button<Label> where Label: View {
    private let label: Label
    private let note: String?
    private let intent: (any Sendable)?
    @preconcurrency public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.label = label()
        (note, intent) = (nil, nil)
    }
    /// For a module beside this one whose buttons do something else than an action.
    public init(noted note: String, carrying intent: any Sendable, @ViewBuilder label: () -> Label) {
        self.label = label()
        (self.note, self.intent) = (note, intent)
    }
    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) {
        if let note { drawing.add(note) }
        if let intent { drawing.intents.append(intent) }
        drawing.draw(label)
    }
}

public struct ProgressView<Label, CurrentValueLabel> where Label: View, CurrentValueLabel: View {
    private let share: Double
    public init<V>(value: V?, total: V = 1.0)
    where Label == EmptyView, CurrentValueLabel == EmptyView, V: BinaryFloatingPoint {
        share = value.map { Double($0 / total) } ?? 0
    }
    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) { drawing.add("progress \(share)") }
}

public struct Label<Title, Icon> where Title: View, Icon: View {
    private let title: Title
    private let icon: Icon
    public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {
        self.title = title()
        self.icon = icon()
    }
    public var body: Never { fatalError() }
    @MainActor public func draw(into drawing: inout Drawing) {
        drawing.draw(icon)
        drawing.draw(title)
    }
}

extension Text: View, Drawable {}
extension Image: View, Drawable {}
extension Spacer: View, Drawable {}
extension HStack: View, Drawable {}
extension VStack: View, Drawable {}
extension ForEach: View, Drawable {}
extension Link: View, Drawable {}
extension Button: View, Drawable {}
extension ProgressView: View, Drawable {}
extension Label: View, Drawable {}
