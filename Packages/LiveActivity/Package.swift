// swift-tools-version: 6.0
import PackageDescription

// Warnings are errors where Doorstep's own tests build these sources, and not here: a newer SDK that deprecates
// something must not break the build of an app.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Set where Doorstep is built for its own tests, which compute here for minutes: then also a build for debugging is
// optimised. An app's build never has such flags.
let computing =
    strict
    + (Context.environment["DOORSTEP_OPTIMIZED"] == nil
        ? [] : [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))])

// What an iPhone app imports: it resolves nothing else. The services are built on `LiveActivity` and `DirectJSON`.
let package = Package(
    name: "LiveActivity",
    platforms: [.macOS(.v13), .iOS("16.1")],
    products: [
        .library(name: "LiveActivity", targets: ["LiveActivity"]),
        .library(name: "DoorstepDevice", targets: ["DoorstepDevice"]),
        .library(name: "DirectJSON", targets: ["DirectJSON"]),
    ],
    targets: [
        .target(name: "DirectJSON", swiftSettings: computing),
        .target(
            name: "LiveActivity", dependencies: ["DirectJSON"], exclude: ["Texts/Languages"],
            swiftSettings: computing),
        .target(name: "DoorstepDevice", dependencies: ["LiveActivity"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
