// swift-tools-version: 6.2
import PackageDescription

/// The same strictness as the package that the library comes from.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// An app that shows the cards, as far as it can be built without Apple's SDK: it has `LiveActivity` and nothing else of
// ours, and a stand-in for ActivityKit, so that the library's ActivityKit side is compiled and used.
let package = Package(
    name: "LiveActivityConsumer",
    platforms: [.macOS(.v15), .iOS(.v18)],
    targets: [
        .target(name: "ActivityKit", swiftSettings: strict),
        .target(name: "LiveActivity", dependencies: ["ActivityKit"], swiftSettings: strict),
        .testTarget(
            name: "LiveActivityConsumerTests", dependencies: ["LiveActivity", "ActivityKit"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
