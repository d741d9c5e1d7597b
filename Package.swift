// swift-tools-version: 6.2
import PackageDescription

/// What every target of ours is built with; dependencies build as they are.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncAlgorithms = Target.Dependency.product(name: "AsyncAlgorithms", package: "swift-async-algorithms")
let collections = Target.Dependency.product(name: "Collections", package: "swift-collections")
let yaml = Target.Dependency.product(name: "Yams", package: "Yams")

/// What each of the three services is made of; they differ in their nouns only.
let serviceDependencies: [Target.Dependency] = [
    "OrderDomain", "LiveActivity", "Messages", "DoorstepAPI", "WireCoding", "DomainTime", "PostgresClient",
    "NatsClient",
    "Outbox", "ServiceRuntime", "OperatorRoutes", log, metrics, tracing, lifecycle, configuration, hummingbird,
]

/// What a service's tests use beside the service.
let serviceTestDependencies: [Target.Dependency] =
    serviceDependencies + ["TestSupport", yaml, .product(name: "HummingbirdTesting", package: "hummingbird")]

let package = Package(
    name: "doorstep",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "LiveActivity", targets: ["LiveActivity"]),
        .executable(name: "orders", targets: ["Orders"]),
        .executable(name: "courier-eta", targets: ["CourierETA"]),
        .executable(name: "activity-dispatch", targets: ["ActivityDispatch"]),
        .executable(name: "doorstep", targets: ["Doorstep"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(
            url: "https://github.com/apple/swift-configuration", from: "1.4.0",
            traits: ["JSON", "CommandLineArguments"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
    ],
    targets: [
        // C libraries of the system, as they are.
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CNats", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),

        // Pure: values and functions, no I/O, no clock of their own.
        .target(name: "DomainTime", swiftSettings: strict),
        .target(name: "OrderDomain", swiftSettings: strict),
        .target(name: "ArrivalEstimate", swiftSettings: strict),
        .target(name: "LiveActivity", swiftSettings: strict),
        .target(name: "PhoneRules", dependencies: ["LiveActivity"], swiftSettings: strict),
        .target(name: "WireCoding", swiftSettings: strict),
        .target(
            name: "Messages", dependencies: ["OrderDomain", "LiveActivity", "WireCoding"], swiftSettings: strict),
        .target(
            name: "DoorstepAPI", dependencies: ["OrderDomain", "LiveActivity", "Messages", "WireCoding"],
            swiftSettings: strict),

        // Clients: the only importers of their C library.
        .target(name: "PostgresClient", dependencies: ["CPostgres", log, metrics, lifecycle], swiftSettings: strict),
        .target(name: "NatsClient", dependencies: ["CNats", log, metrics, lifecycle], swiftSettings: strict),

        // What every process is built on.
        .target(
            name: "Outbox",
            dependencies: [
                "DomainTime", "WireCoding", "PostgresClient", "NatsClient", log, metrics, tracing, lifecycle,
            ],
            swiftSettings: strict),
        .target(
            name: "ServiceRuntime",
            dependencies: [
                "DomainTime", "WireCoding", "PostgresClient", "NatsClient", log, metrics, tracing, lifecycle,
                configuration, hummingbird,
                jwt, crypto, asyncAlgorithms,
            ],
            swiftSettings: strict),
        .target(
            name: "OperatorRoutes", dependencies: ["DoorstepAPI", "Outbox", "ServiceRuntime", hummingbird],
            swiftSettings: strict),

        // Executables. None imports another.
        .executableTarget(
            name: "Orders", dependencies: serviceDependencies + [crypto], path: "Services/orders",
            resources: [.embedInCode("Migrations"), .embedInCode("openapi.yaml")], swiftSettings: strict),
        .executableTarget(
            name: "CourierETA", dependencies: serviceDependencies + ["ArrivalEstimate", crypto, httpClient],
            path: "Services/courier-eta",
            resources: [.embedInCode("Migrations"), .embedInCode("openapi.yaml")], swiftSettings: strict),
        .executableTarget(
            name: "ActivityDispatch", dependencies: serviceDependencies + ["PhoneRules", asyncAlgorithms, collections],
            path: "Services/activity-dispatch",
            resources: [.embedInCode("Migrations"), .embedInCode("openapi.yaml")], swiftSettings: strict),
        .executableTarget(
            name: "Doorstep",
            dependencies: [
                "OrderDomain", "LiveActivity", "PhoneRules", "Messages", "DoorstepAPI", "WireCoding", "DomainTime",
                "ArrivalEstimate", "PostgresClient", "NatsClient", "Outbox", "ServiceRuntime", arguments, httpClient,
                jwt, crypto, log,
                configuration,
            ],
            path: "Services/doorstep", swiftSettings: strict),

        // What `make bench` runs.
        .executableTarget(
            name: "Bench",
            dependencies: ["CEpoll", "OrderDomain", "Messages", "DoorstepAPI", "WireCoding", "ServiceRuntime"],
            path: "Benchmarks", exclude: ["run", "CEpoll"], swiftSettings: strict),
        .systemLibrary(name: "CEpoll", path: "Benchmarks/CEpoll"),

        // Tests mirror the layers.
        .target(
            name: "TestSupport",
            dependencies: ["DomainTime", "PostgresClient", "NatsClient", log],
            path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "TownSupport",
            dependencies: [
                "DomainTime", "DoorstepAPI", "LiveActivity", "Messages", "OrderDomain", "PhoneRules", "ServiceRuntime",
                "WireCoding", httpClient,
            ],
            path: "Tests/TownSupport", swiftSettings: strict),
        .testTarget(name: "DomainTimeTests", dependencies: ["DomainTime"], swiftSettings: strict),
        .testTarget(name: "OrderDomainTests", dependencies: ["OrderDomain", "WireCoding"], swiftSettings: strict),
        .testTarget(
            name: "ArrivalEstimateTests", dependencies: ["ArrivalEstimate"], exclude: ["Golden"], swiftSettings: strict),
        .testTarget(
            name: "LiveActivityTests", dependencies: ["LiveActivity", "TestSupport"], exclude: ["Golden"],
            swiftSettings: strict),
        .testTarget(name: "PhoneRulesTests", dependencies: ["PhoneRules", "LiveActivity"], swiftSettings: strict),
        .testTarget(
            name: "MessagesTests", dependencies: ["Messages", "OrderDomain", "LiveActivity", "WireCoding"],
            swiftSettings: strict),
        .testTarget(
            name: "PostgresClientTests", dependencies: ["PostgresClient", "TestSupport", lifecycle, log],
            swiftSettings: strict),
        .testTarget(
            name: "NatsClientTests", dependencies: ["NatsClient", "TestSupport", lifecycle, log], swiftSettings: strict),
        .testTarget(
            name: "OutboxTests",
            dependencies: ["Outbox", "TestSupport", "DomainTime", "PostgresClient", "NatsClient", lifecycle, log],
            swiftSettings: strict),
        .testTarget(
            name: "ServiceRuntimeTests",
            dependencies: [
                "ServiceRuntime", "TestSupport", tracing, .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "OrdersTests", dependencies: serviceTestDependencies + ["Orders"], swiftSettings: strict),
        .testTarget(
            name: "CourierETATests", dependencies: serviceTestDependencies + ["CourierETA", "ArrivalEstimate"],
            swiftSettings: strict),
        .testTarget(
            name: "ActivityDispatchTests", dependencies: serviceTestDependencies + ["ActivityDispatch", "PhoneRules"],
            swiftSettings: strict),
        .testTarget(
            name: "DoorstepTests",
            dependencies: [
                "Doorstep", "LiveActivity", "PhoneRules", "OrderDomain", "Messages", "DoorstepAPI", "WireCoding",
                "DomainTime", "ServiceRuntime", "TestSupport", arguments,
            ],
            exclude: ["Golden"], swiftSettings: strict),
        .testTarget(
            name: "WholePathTests",
            dependencies: serviceDependencies + [
                "Orders", "CourierETA", "ActivityDispatch", "ArrivalEstimate", "PhoneRules",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "TestSupport", "TownSupport", "Messages", "DoorstepAPI", "WireCoding", "DomainTime", "PhoneRules",
                "LiveActivity", "OrderDomain", "ServiceRuntime",
            ], swiftSettings: strict),
        .testTarget(
            name: "ComposeTests",
            dependencies: [
                "TestSupport", "TownSupport", "DoorstepAPI", "WireCoding", "DomainTime", "LiveActivity", "OrderDomain",
                "ServiceRuntime",
            ], swiftSettings: strict),
        .testTarget(name: "ArchitectureTests", dependencies: [yaml], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
