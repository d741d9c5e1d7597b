public import ActivityKit
public import Foundation
public import SwiftUI

// A stand-in with the shape of Apple's framework, as far as the sample uses it.

public struct ActivityViewContext<Attributes> where Attributes: ActivityAttributes {
    public let attributes: Attributes
    public let state: Attributes.ContentState
    public let isStale: Bool
    public let activityID: String

    /// What tests draw; Apple's has no initializer.
    public init(attributes: Attributes, state: Attributes.ContentState, isStale: Bool) {
        self.attributes = attributes
        self.state = state
        self.isStale = isStale
        activityID = "drawn"
    }
}

@MainActor @preconcurrency
public struct ActivityConfiguration<Attributes>: WidgetConfiguration where Attributes: ActivityAttributes {
    /// What tests draw.
    public let lockScreen: (ActivityViewContext<Attributes>) -> any View
    public let island: (ActivityViewContext<Attributes>) -> DynamicIsland

    @MainActor @preconcurrency
    public init<Content>(
        for attributesType: Attributes.Type,
        @ViewBuilder content: @escaping (ActivityViewContext<Attributes>) -> Content,
        dynamicIsland: @escaping (ActivityViewContext<Attributes>) -> DynamicIsland
    ) where Content: View {
        lockScreen = { content($0) }
        island = dynamicIsland
    }
}

public enum ActivityFamily: Hashable, Sendable { case small, medium }

/// A configuration with the families that it supports beside the medium one.
public struct FamiliesConfiguration<Content: WidgetConfiguration>: WidgetConfiguration {
    public let content: Content
    public let families: [ActivityFamily]
}

extension WidgetConfiguration {
    @MainActor @preconcurrency
    public func supplementalActivityFamilies(_ families: [ActivityFamily]) -> some WidgetConfiguration {
        FamiliesConfiguration(content: self, families: families)
    }
}

public struct WidgetRenderingMode: Hashable, Sendable {
    let name: String
    public static let fullColor = WidgetRenderingMode(name: "fullColor")
    public static let accented = WidgetRenderingMode(name: "accented")
    public static let vibrant = WidgetRenderingMode(name: "vibrant")
}

extension EnvironmentValues {
    public var widgetRenderingMode: WidgetRenderingMode {
        get { others["widgetRenderingMode"] as? WidgetRenderingMode ?? .fullColor }
        set { others["widgetRenderingMode"] = newValue }
    }

    public var activityFamily: ActivityFamily {
        get { others["activityFamily"] as? ActivityFamily ?? .medium }
        set { others["activityFamily"] = newValue }
    }
}

extension View {
    public func widgetURL(_ url: URL?) -> some View { ModifiedView(self, "tap \(url?.absoluteString ?? "nil")") }
    public func activityBackgroundTint(_ color: Color?) -> some View {
        ModifiedView(self, "background \(color.map { "\($0)" } ?? "nil")")
    }
    public func activitySystemActionForegroundColor(_ color: Color?) -> some View {
        ModifiedView(self, "system action \(color.map { "\($0)" } ?? "nil")")
    }
}

public struct DynamicIslandExpandedRegionPosition: Hashable, Sendable {
    let name: String
    public static let leading = DynamicIslandExpandedRegionPosition(name: "leading")
    public static let trailing = DynamicIslandExpandedRegionPosition(name: "trailing")
    public static let center = DynamicIslandExpandedRegionPosition(name: "center")
    public static let bottom = DynamicIslandExpandedRegionPosition(name: "bottom")
}

public struct DynamicIslandExpandedRegion<Content> where Content: View {
    let position: DynamicIslandExpandedRegionPosition
    let content: Content

    public init(
        _ position: DynamicIslandExpandedRegionPosition, priority: Double = 0, @ViewBuilder content: () -> Content
    ) {
        self.position = position
        self.content = content()
    }
}

public struct DynamicIslandExpandedContent<Content> where Content: View {
    let regions: [(DynamicIslandExpandedRegionPosition, any View)]
}

@resultBuilder
public enum DynamicIslandExpandedContentBuilder {
    public static func buildPartialBlock<C>(
        first: DynamicIslandExpandedRegion<C>
    ) -> DynamicIslandExpandedContent<some View> {
        DynamicIslandExpandedContent<C>(regions: [(first.position, first.content)])
    }

    public static func buildPartialBlock<C0, C1>(
        accumulated: DynamicIslandExpandedContent<C0>, next: DynamicIslandExpandedRegion<C1>
    ) -> DynamicIslandExpandedContent<some View> {
        DynamicIslandExpandedContent<C1>(regions: accumulated.regions + [(next.position, next.content)])
    }
}

public struct DynamicIsland {
    /// What tests draw, by the name of the place.
    public let places: [String: any View]
    public private(set) var tap: URL?
    public private(set) var keyline: Color?

    public init<Expanded, CompactLeading, CompactTrailing, Minimal>(
        @DynamicIslandExpandedContentBuilder expanded: @escaping () -> DynamicIslandExpandedContent<Expanded>,
        @ViewBuilder compactLeading: @escaping () -> CompactLeading,
        @ViewBuilder compactTrailing: @escaping () -> CompactTrailing, @ViewBuilder minimal: @escaping () -> Minimal
    ) where Expanded: View, CompactLeading: View, CompactTrailing: View, Minimal: View {
        var places: [String: any View] = [
            "compact leading": compactLeading(), "compact trailing": compactTrailing(), "minimal": minimal(),
        ]
        for (position, view) in expanded().regions { places["expanded \(position.name)"] = view }
        self.places = places
    }

    public func widgetURL(_ url: URL?) -> DynamicIsland {
        var island = self
        island.tap = url
        return island
    }

    public func keylineTint(_ color: Color?) -> DynamicIsland {
        var island = self
        island.keyline = color
        return island
    }
}
