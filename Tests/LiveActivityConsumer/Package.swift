// swift-tools-version: 6.2
import PackageDescription

/// The same strictness as the services, and of the sources of the package that is taken, whose own manifest is milder.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// An app that shows the cards, as far as it can be built without Apple's SDK: it has the app's package and the sample and
// nothing else of ours, and stand-ins for ActivityKit, AppIntents, SwiftUI, UIKit and WidgetKit, so that their side is
// compiled and used.
let package = Package(
    name: "LiveActivityConsumer",
    platforms: [.macOS(.v15), .iOS(.v18)],
    targets: [
        .target(name: "ActivityKit", swiftSettings: strict),
        .target(name: "SwiftUI", swiftSettings: strict),
        .target(name: "AppIntents", dependencies: ["ActivityKit", "SwiftUI"], swiftSettings: strict),
        .target(name: "UIKit", swiftSettings: strict),
        .target(name: "WidgetKit", dependencies: ["ActivityKit", "SwiftUI"], swiftSettings: strict),
        .target(name: "DirectJSON", swiftSettings: strict),
        .target(name: "LiveActivity", dependencies: ["DirectJSON", "ActivityKit", "SwiftUI"], swiftSettings: strict),
        .target(name: "DoorstepDevice", dependencies: ["LiveActivity", "ActivityKit"], swiftSettings: strict),
        .executableTarget(
            name: "DeliveryWidget",
            dependencies: ["LiveActivity", "ActivityKit", "SwiftUI", "WidgetKit", "AppIntents"],
            exclude: ["DeliveryWidget/Info.plist"], swiftSettings: strict),
        .executableTarget(
            name: "ShopApp", dependencies: ["DoorstepDevice", "LiveActivity", "ActivityKit", "SwiftUI", "AppIntents"],
            exclude: ["ShopApp/Info.plist", "ShopApp/ShopApp.entitlements"], swiftSettings: strict),
        .executableTarget(
            name: "ShopAppUIKit",
            dependencies: ["DoorstepDevice", "LiveActivity", "ActivityKit", "UIKit", "AppIntents"],
            exclude: ["ShopAppUIKit/Info.plist", "ShopAppUIKit/ShopAppUIKit.entitlements"], swiftSettings: strict),
        .testTarget(
            name: "LiveActivityConsumerTests",
            dependencies: [
                "LiveActivity", "ActivityKit", "SwiftUI", "WidgetKit", "AppIntents", "UIKit", "DoorstepDevice",
                "DeliveryWidget", "ShopApp", "ShopAppUIKit",
            ], swiftSettings: strict),
        .testTarget(
            name: "DoorstepDeviceTests", dependencies: ["DoorstepDevice", "LiveActivity", "ActivityKit"],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
