// swift-tools-version: 6.2
import PackageDescription

/// The same strictness as the package that runs the services.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// What an iPhone app imports: it resolves nothing else. The services are built on the same types.
let package = Package(
    name: "LiveActivity",
    platforms: [.macOS(.v13), .iOS("16.1")],
    products: [
        .library(name: "LiveActivity", targets: ["LiveActivity"])
    ],
    targets: [
        .target(name: "LiveActivity", swiftSettings: strict)
    ],
    swiftLanguageModes: [.v6]
)
