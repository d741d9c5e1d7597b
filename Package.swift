// swift-tools-version: 6.2
import PackageDescription

/// What every target of ours is built with; dependencies build as they are.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// What the layers are built with that only compute: `Infra/local/build` optimises them also for debugging.
///
/// Tests of properties run in them for minutes. `assert` goes on being checked.
let computing =
    strict
    + (Context.environment["DOORSTEP_OPTIMIZED"] == nil
        ? [] : [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))])

let directJSON = Target.Dependency.product(name: "DirectJSON", package: "LiveActivity")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let metricsTestKit = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let hummingbirdTesting = Target.Dependency.product(name: "HummingbirdTesting", package: "hummingbird")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let nioFoundation = Target.Dependency.product(name: "NIOFoundationCompat", package: "swift-nio")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yaml = Target.Dependency.product(name: "Yams", package: "Yams")

// MARK: Layers

/// A library of a layer, in that layer's folder.
func library(
    _ name: String, in layer: String, dependencies: [Target.Dependency] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)",
        swiftSettings: ["Base", "Domain"].contains(layer) ? computing : strict)
}

/// The tests of one library or executable, in the folder of its layer.
func tests(
    of name: String, in layer: String, dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies, path: "Tests/\(layer)/\(name)Tests",
        exclude: exclude, swiftSettings: strict)
}

/// A service: what it answers over HTTP and its migrations travel inside the executable.
///
/// - Parameter resources: folders of files that it needs beside.
func service(
    _ name: String, folder: String, dependencies: [Target.Dependency], resources: [String] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: serviceDependencies + dependencies, path: "Services/\(folder)",
        resources: (["Storage/Migrations", "openapi.yaml"] + resources).map { .embedInCode($0) }, swiftSettings: strict)
}

/// What every layer uses: the clock, random numbers, flow control, texts of bytes, packed bytes, metrics, writes that share
/// a record.
let base: [Target] = [
    .systemLibrary(name: "CZlib", path: "Sources/Base/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CMalloc", path: "Sources/Base/CMalloc"),
    library("Deflate", in: "Base", dependencies: ["CZlib"]),
    library("DomainTime", in: "Base"),
    library("JSONFolder", in: "Base"),
    library("SeededRandom", in: "Base"),
    library("FlowControl", in: "Base"),
    library("TextCoding", in: "Base", dependencies: [crypto]),
    library("DeclaredMetrics", in: "Base", dependencies: [metrics]),
    library("WriteCoalescing", in: "Base", dependencies: [nioCore]),
]

/// Pure: values and functions, no I/O, no clock of their own.
let domain: [Target] = [
    library("OrderDomain", in: "Domain", dependencies: ["TextCoding"]),
    library("ArrivalEstimate", in: "Domain", dependencies: ["OrderDomain", "SeededRandom"]),
    library("PhoneRules", in: "Domain", dependencies: ["LiveActivity", "SeededRandom", "TextCoding"]),
    library("DeliveryProviders", in: "Domain", dependencies: ["OrderDomain", "TextCoding", directJSON, crypto]),
]

/// What goes between processes: messages, bodies, and how both are written.
let contracts: [Target] = [
    library("WireCoding", in: "Contracts", dependencies: [directJSON]),
    library("EmulatorAPI", in: "Contracts", dependencies: ["LiveActivity", "PhoneRules"]),
    library("Messages", in: "Contracts", dependencies: ["OrderDomain", "LiveActivity", "TextCoding", "WireCoding"]),
    library("DoorstepAPI", in: "Contracts", dependencies: ["OrderDomain", "LiveActivity", "Messages", "WireCoding"]),
]

/// What people are shown, for a terminal and for pages alike: as pure as the two layers below.
let presentation: [Target] = [
    library("TimePresentation", in: "Presentation", dependencies: ["LiveActivity"]),
    .target(
        name: "InterfaceTexts", dependencies: ["LiveActivity", directJSON],
        path: "Sources/Presentation/InterfaceTexts", resources: [.embedInCode("Languages")], swiftSettings: strict),
    library("CardPresentation", in: "Presentation", dependencies: ["LiveActivity", "PhoneRules", "InterfaceTexts"]),
    library(
        "DeliveryDiagnosis", in: "Presentation",
        dependencies: [
            "OrderDomain", "LiveActivity", "InterfaceTexts", "Messages", "PhoneRules", "DoorstepAPI",
            "TimePresentation",
        ]),
]

/// The C libraries of the system as they are, and the only importer of each.
let clients: [Target] = [
    .systemLibrary(
        name: "CPostgres", path: "Sources/Clients/CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(
        name: "CNats", path: "Sources/Clients/CNats", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
    library(
        "PostgresClient", in: "Clients",
        dependencies: ["FlowControl", "TextCoding", directJSON, "CPostgres", log, metrics, lifecycle]),
    library(
        "NatsClient", in: "Clients",
        dependencies: ["FlowControl", "DeclaredMetrics", directJSON, "CNats", log, metrics, lifecycle]),
    library("APIClient", in: "Clients", dependencies: ["WireCoding", httpClient, nioCore, nioPosix, nioHTTP1]),
    library("TileArchive", in: "Clients", dependencies: ["Deflate"]),
    library("OpenIDConnect", in: "Clients", dependencies: ["TextCoding", crypto, jwt, httpClient, nioCore, nioHTTP1]),
    library("WebhookSignatures", in: "Clients", dependencies: ["TextCoding", crypto]),
    library(
        "WebhookSender", in: "Clients",
        dependencies: ["FlowControl", httpClient, lifecycle, nioCore, nioPosix, nioHTTP1]),
    library(
        "APNsClient", in: "Clients",
        dependencies: [
            "FlowControl", "DeclaredMetrics", "TextCoding", "WriteCoalescing", log, metrics, lifecycle, crypto, nioCore,
            nioPosix, nioTLS, nioSSL, nioHTTP2, nioHPACK,
        ]),
    library(
        "WebPushClient", in: "Clients",
        dependencies: [
            "FlowControl", "DeclaredMetrics", "TextCoding", metrics, lifecycle, crypto, httpClient, nioCore, nioPosix,
            nioHTTP1, nioSSL,
        ]),
]

/// What every service runs on.
let runtime: [Target] = [
    library(
        "ProcessSettings", in: "Runtime",
        dependencies: ["DomainTime", "JSONFolder", "TextCoding", "WireCoding", configuration]),
    library(
        "BackgroundWork", in: "Runtime",
        dependencies: ["DomainTime", "FlowControl", "DeclaredMetrics", log, metrics, lifecycle]),
    library(
        "ReliableMessaging", in: "Runtime",
        dependencies: [
            "DomainTime", "FlowControl", "WireCoding", "Messages", "DeclaredMetrics", "PostgresClient",
            "NatsClient", "BackgroundWork", log, metrics, tracing, lifecycle,
        ]),
    .target(
        name: "WebPages",
        dependencies: ["ProcessSettings", "TileArchive", configuration, hummingbird, mustache, crypto, nioPosix],
        path: "Sources/Runtime/WebPages",
        exclude: [
            "Assets/vendored/LICENSE-htmx.txt", "Assets/vendored/LICENSE-leaflet.txt",
            "Assets/vendored/LICENSE-markercluster.txt", "Assets/vendored/leaflet.css", "Assets/vendored/leaflet.js",
            "Assets/vendored/manifest.json", "Assets/vendored/markercluster.js", "Drawings",
        ],
        resources: [.embedInCode("Assets/vendored"), .embedInCode("Assets/own"), .embedInCode("Templates")],
        swiftSettings: strict),
    library(
        "ServiceRuntime", in: "Runtime",
        dependencies: [
            "CMalloc", "DomainTime", "FlowControl", "TextCoding", "WireCoding", "DoorstepAPI", "Messages",
            "ProcessSettings", "DeclaredMetrics", "PostgresClient", "NatsClient", "BackgroundWork",
            "ReliableMessaging", log, metrics, tracing, lifecycle, configuration, hummingbird, httpClient, jwt, crypto,
        ]),
]

/// What the two command lines share; none of it needs Postgres or NATS.
let commandLine: [Target] = [
    library("CommandOutput", in: "CommandLine", dependencies: [arguments]),
    library("CommaSeparatedValues", in: "CommandLine"),
    library(
        "StackClient", in: "CommandLine",
        dependencies: [
            "APIClient", "CommandOutput", "DomainTime", "DoorstepAPI", "LiveActivity", "ProcessSettings", "TextCoding",
            "WireCoding", arguments, configuration, httpClient,
        ]),
    library(
        "CourierSimulation", in: "CommandLine",
        dependencies: [
            "CommaSeparatedValues", "CommandOutput", "DomainTime", "DoorstepAPI", "FlowControl", "OrderDomain",
            "SeededRandom", "StackClient", "TimePresentation", "WireCoding",
        ]),
    library("ModelTraining", in: "CommandLine", dependencies: ["ArrivalEstimate", "CommandOutput", arguments]),
]

/// The dependencies of each of the five services.
let serviceDependencies: [Target.Dependency] = [
    "OrderDomain", "LiveActivity", directJSON, "Messages", "DoorstepAPI", "WireCoding", "DomainTime", "TextCoding",
    "DeclaredMetrics", "PostgresClient", "NatsClient", "BackgroundWork", "ProcessSettings", "ReliableMessaging",
    "ServiceRuntime", log,
    metrics, tracing, lifecycle,
    configuration, hummingbird,
]

/// Of `apns-emulator`, which needs neither Postgres nor NATS.
let emulatorDependencies: [Target.Dependency] = [
    "APIClient", "LiveActivity", "PhoneRules", "EmulatorAPI", "DomainTime", "FlowControl", "SeededRandom", "TextCoding",
    "WireCoding", "WriteCoalescing", log,
    lifecycle, signals, hummingbird, httpClient, crypto, x509, asn1, arguments, nioCore, nioPosix, nioTLS, nioHTTP1,
    nioFoundation, nioHTTP2, nioHPACK, nioSSL,
]

/// The executables; none imports another.
let executables: [Target] = [
    .plugin(name: "DependencyVersions", capability: .buildTool()),
    service(
        "Orders", folder: "orders",
        dependencies: [
            "ArrivalEstimate", "CardPresentation", "InterfaceTexts", "TimePresentation", "Deflate", "FlowControl",
            "PhoneRules", "WebPages", crypto,
        ],
        resources: ["HTTP/Pages/Templates"]),
    service("CourierETA", folder: "courier-eta", dependencies: ["ArrivalEstimate", "FlowControl", crypto, httpClient]),
    service(
        "ActivityDispatch", folder: "activity-dispatch",
        dependencies: ["APNsClient", "WebPushClient", "FlowControl", "InterfaceTexts", "PhoneRules", crypto]),
    service(
        "Desk", folder: "desk",
        dependencies: [
            "APIClient", "CardPresentation", "DeliveryDiagnosis", "FlowControl", "TimePresentation", "PhoneRules",
            "OpenIDConnect", "TileArchive", "WebPages", crypto, httpClient, nioCore, nioPosix, nioHTTP1,
        ],
        resources: ["HTTP/Templates"]),
    service(
        "Partners", folder: "partners",
        dependencies: ["DeliveryProviders", "WebhookSignatures", "WebhookSender", crypto, nioCore]),
    .executableTarget(
        name: "Doorstep",
        dependencies: [
            "APIClient", "OrderDomain", "LiveActivity", "PhoneRules", "CardPresentation", "InterfaceTexts", "Messages",
            "DoorstepAPI", "EmulatorAPI", "WireCoding", "DomainTime", "ArrivalEstimate", "Deflate", "FlowControl",
            "CommandOutput", "CommaSeparatedValues", "StackClient", "TimePresentation", "DeliveryDiagnosis",
            "CourierSimulation", "ModelTraining", "JSONFolder", "WebhookSignatures", arguments, httpClient,
        ],
        path: "Services/doorstep", swiftSettings: strict),
    .executableTarget(
        name: "DoorstepAdmin",
        dependencies: [
            "APIClient", "OrderDomain", "LiveActivity", "Messages", "DoorstepAPI", "EmulatorAPI", "DomainTime",
            "ArrivalEstimate", "PostgresClient", "NatsClient", "ProcessSettings", "ServiceRuntime", "CommandOutput",
            "StackClient", "CourierSimulation", "ModelTraining", "TextCoding", "TimePresentation", "WireCoding",
            arguments, crypto, log, nioHTTP1,
        ],
        path: "Services/doorstep-admin", resources: [.embedInCode("upgrades.md")], swiftSettings: strict,
        plugins: ["DependencyVersions"]),
    .executableTarget(
        name: "APNsEmulator", dependencies: emulatorDependencies, path: "Services/apns-emulator",
        swiftSettings: strict),
]

/// What `make bench` runs.
let benchmarks: [Target] = [
    .systemLibrary(name: "CEpoll", path: "Benchmarks/CEpoll"),
    .executableTarget(
        name: "Bench",
        dependencies: [
            "CEpoll", "APIClient", "APNsClient", "ArrivalEstimate", "EmulatorAPI", "LiveActivity", "OrderDomain",
            "Messages", "DoorstepAPI", "TextCoding", "WireCoding", "ServiceRuntime", arguments, crypto, httpClient, log,
            nioCore, nioPosix, nioHTTP1, nioSSL,
        ],
        path: "Benchmarks", exclude: ["CEpoll", "compare", "compare.py", "heap-census", "run"], swiftSettings: strict),
]

// MARK: Tests

/// What tests of more than one target share.
let testSupport: [Target] = [
    .target(
        name: "TestSupport",
        dependencies: [
            "Messages", "PostgresClient", "NatsClient", "ReliableMessaging", "WireCoding", lifecycle, log,
        ],
        path: "Tests/Support/TestSupport", swiftSettings: strict),
    .target(
        name: "ScriptedPeers",
        dependencies: [crypto, asn1, x509, nioCore, nioPosix, nioTLS, nioHTTP1, nioHTTP2, nioHPACK, nioSSL],
        path: "Tests/Support/ScriptedPeers", swiftSettings: strict),
    .target(
        name: "OpenAPITesting", dependencies: ["WireCoding", yaml, hummingbirdTesting],
        path: "Tests/Support/OpenAPITesting", swiftSettings: strict),
    .target(
        name: "SimulationSupport",
        dependencies: [
            "APIClient", "DeliveryProviders", "DomainTime", "DoorstepAPI", "EmulatorAPI", "LiveActivity", "Messages",
            "OrderDomain", "PhoneRules", "ProviderSamples", "ScriptedPeers", "SeededRandom", "ServiceRuntime",
            "TestSupport", "WebhookSignatures", "WireCoding", httpClient, nioCore, nioHTTP1,
        ],
        path: "Tests/Support/SimulationSupport", swiftSettings: strict),
    .target(
        name: "FaultInjection", dependencies: ["OrderDomain", "SeededRandom"],
        path: "Tests/Support/FaultInjection", swiftSettings: strict),
    .target(
        name: "BrowserSupport", dependencies: ["TestSupport", httpClient, nioCore, nioHTTP1],
        path: "Tests/Support/BrowserSupport", swiftSettings: strict),
    .target(
        name: "WebPushTesting", dependencies: ["ScriptedPeers", "TextCoding", crypto],
        path: "Tests/Support/WebPushTesting", swiftSettings: strict),
    .target(
        name: "OpenIDConnectTesting",
        dependencies: ["OpenIDConnect", jwt, hummingbird, hummingbirdTesting, httpClient, log, nioCore],
        path: "Tests/Support/OpenIDConnectTesting", swiftSettings: strict),
    .target(
        name: "DeliverySamples",
        dependencies: ["DeliveryDiagnosis", "DoorstepAPI", "LiveActivity", "Messages", "OrderDomain", "WireCoding"],
        path: "Tests/Support/DeliverySamples", swiftSettings: strict),
    .target(
        name: "ProviderSamples", dependencies: ["DeliveryProviders", "TextCoding", "WebhookSignatures", crypto],
        path: "Tests/Support/ProviderSamples", swiftSettings: strict),
    .target(
        name: "CommandLineTestSupport", path: "Tests/Support/CommandLineTestSupport", swiftSettings: strict),
]

let libraryTests: [Target] = [
    tests(of: "TestSupport", in: "Support"),
    tests(of: "FaultInjection", in: "Support", dependencies: ["OrderDomain"]),
    tests(of: "BrowserSupport", in: "Support", dependencies: [hummingbird, hummingbirdTesting, nioCore, log]),
    tests(of: "DomainTime", in: "Base"),
    tests(of: "FlowControl", in: "Base"),
    tests(of: "SeededRandom", in: "Base"),
    tests(of: "TextCoding", in: "Base", dependencies: ["SeededRandom"]),
    tests(of: "OrderDomain", in: "Domain", dependencies: ["SeededRandom", "WireCoding"]),
    tests(of: "ArrivalEstimate", in: "Domain", dependencies: ["OrderDomain", "SeededRandom"], exclude: ["Golden"]),
    .testTarget(
        name: "DirectJSONTests", dependencies: [directJSON, "SeededRandom"], path: "Tests/Base/DirectJSONTests",
        swiftSettings: strict),
    tests(of: "LiveActivity", in: "Domain", dependencies: ["SeededRandom", "TestSupport"], exclude: ["Golden"]),
    tests(of: "PhoneRules", in: "Domain", dependencies: ["LiveActivity", "SeededRandom"]),
    tests(of: "DeliveryProviders", in: "Domain", dependencies: ["OrderDomain", "ProviderSamples", "SeededRandom"]),
    tests(
        of: "Messages", in: "Contracts",
        dependencies: ["OrderDomain", "LiveActivity", directJSON, "SeededRandom", "TextCoding", "WireCoding"]),
    tests(of: "WireCoding", in: "Contracts", dependencies: ["SeededRandom"]),
    tests(
        of: "DoorstepAPI", in: "Contracts",
        dependencies: ["OrderDomain", "LiveActivity", "Messages", "WireCoding", "OpenAPITesting"]),
    tests(of: "TimePresentation", in: "Presentation"),
    tests(of: "InterfaceTexts", in: "Presentation", dependencies: ["LiveActivity"]),
    tests(
        of: "DeliveryDiagnosis", in: "Presentation",
        dependencies: [
            "DeliverySamples", "DoorstepAPI", "LiveActivity", "Messages", "OrderDomain", "PhoneRules",
            "TimePresentation",
        ]),
    tests(of: "PostgresClient", in: "Clients", dependencies: ["TestSupport"]),
    tests(of: "NatsClient", in: "Clients", dependencies: ["TestSupport", lifecycle, log]),
    tests(of: "JSONFolder", in: "Base"),
    tests(of: "WriteCoalescing", in: "Base", dependencies: [nioCore, nioEmbedded]),
    tests(of: "Deflate", in: "Base", dependencies: ["TestSupport"]),
    tests(of: "TileArchive", in: "Clients", dependencies: ["SeededRandom"], exclude: ["Samples"]),
    tests(of: "OpenIDConnect", in: "Clients", dependencies: ["OpenIDConnectTesting"]),
    tests(
        of: "WebhookSender", in: "Clients",
        dependencies: ["ScriptedPeers", "SeededRandom", "TestSupport", nioCore, nioPosix, nioHTTP1]),
    tests(
        of: "WebhookSignatures", in: "Clients", dependencies: ["TestSupport", "TextCoding", crypto],
        exclude: ["Checkers"]),
    tests(
        of: "APNsClient", in: "Clients",
        dependencies: [
            "ScriptedPeers", "TestSupport", metrics, metricsTestKit, crypto, jwt, nioCore, nioPosix, nioSSL, nioHTTP2,
            nioHPACK,
        ]),
    tests(
        of: "WebPushClient", in: "Clients",
        dependencies: [
            "ScriptedPeers", "SeededRandom", "TestSupport", "TextCoding", "WebPushTesting", metrics, metricsTestKit,
            crypto, jwt, nioHTTP1,
        ]),
    tests(
        of: "BackgroundWork", in: "Runtime",
        dependencies: ["DomainTime", "FlowControl", "TestSupport", lifecycle, log, metrics, metricsTestKit]),
    tests(
        of: "ReliableMessaging", in: "Runtime",
        dependencies: [
            "TestSupport", "Messages", "WireCoding", "BackgroundWork", "DomainTime", "FlowControl", "SeededRandom",
            "PostgresClient", "NatsClient", "OrderDomain", "ServiceRuntime", lifecycle, log, metrics, tracing,
        ]),
    tests(
        of: "ServiceRuntime", in: "Runtime",
        dependencies: [
            "TestSupport", "BackgroundWork", "DeclaredMetrics", "DoorstepAPI", crypto, tracing, hummingbirdTesting,
        ],
        exclude: ["Golden"]),
    tests(
        of: "WebPages", in: "Runtime", dependencies: ["TestSupport", hummingbird, hummingbirdTesting, crypto, nioCore]),
    tests(of: "CommandOutput", in: "CommandLine"),
    tests(of: "CommaSeparatedValues", in: "CommandLine", dependencies: ["SeededRandom"]),
    tests(
        of: "StackClient", in: "CommandLine",
        dependencies: ["APIClient", "CommandOutput", "DomainTime", "ScriptedPeers", httpClient, nioCore, nioHTTP1]),
    tests(
        of: "CourierSimulation", in: "CommandLine",
        dependencies: [
            "DeliverySamples", "CommandOutput", "DomainTime", "DoorstepAPI", "OrderDomain", "SeededRandom",
        ]),
]

/// What a service's tests use beside the service.
let serviceTestDependencies: [Target.Dependency] =
    serviceDependencies + ["FlowControl", "SeededRandom", "OpenAPITesting", "TestSupport", hummingbirdTesting]

let executableTests: [Target] = [
    tests(
        of: "Orders", in: "Services",
        dependencies: serviceTestDependencies + [
            "ArrivalEstimate", "Deflate", "InterfaceTexts", "PhoneRules", "TileArchive", "WebPages",
        ]),
    tests(
        of: "CourierETA", in: "Services", dependencies: serviceTestDependencies + ["ArrivalEstimate"],
        exclude: ["Golden"]),
    tests(
        of: "ActivityDispatch", in: "Services",
        dependencies: serviceTestDependencies + ["APNsClient", "WebPushClient", "PhoneRules", crypto, metricsTestKit]),
    tests(
        of: "Desk", in: "Services",
        dependencies: serviceTestDependencies + [
            "APIClient", "DeliveryDiagnosis", "DeliverySamples", "OpenIDConnect", "OpenIDConnectTesting", "TileArchive",
            "WebPages", httpClient, nioCore, nioHTTP1,
        ]),
    tests(
        of: "Partners", in: "Services",
        dependencies: serviceTestDependencies + [
            "DeliveryProviders", "ProviderSamples", "WebhookSender", "WebhookSignatures",
        ]),
    tests(
        of: "Doorstep", in: "Services",
        dependencies: [
            "APIClient", "LiveActivity", "PhoneRules", "CardPresentation", "OrderDomain", "Messages", "DoorstepAPI",
            "EmulatorAPI", "WireCoding", "DomainTime", "ArrivalEstimate", "SeededRandom", "CommaSeparatedValues",
            "CommandOutput", "ScriptedPeers", "StackClient", "TimePresentation", "DeliveryDiagnosis",
            "CommandLineTestSupport", "DeliverySamples", "TestSupport",
            "WebhookSignatures", arguments, nioHTTP1,
        ],
        exclude: ["Golden"]),
    tests(
        of: "DoorstepAdmin", in: "Services",
        dependencies: [
            "OrderDomain", "DoorstepAPI", "EmulatorAPI", "CommandOutput", "CourierSimulation",
            "CommandLineTestSupport", "Messages", "NatsClient", "PostgresClient", "ServiceRuntime", "StackClient",
            "TestSupport", "TextCoding", crypto,
        ],
        exclude: ["Golden"]),
    tests(of: "APNsEmulator", in: "Services", dependencies: emulatorDependencies),
]

/// The pure parts of all services together, whole processes, containers, and the sources themselves.
let systemTests: [Target] = [
    .testTarget(
        name: "WholePathTests",
        dependencies: serviceDependencies + [
            "Orders", "CourierETA", "ActivityDispatch", "ArrivalEstimate", "CardPresentation", "FlowControl",
            "PhoneRules",
            "SeededRandom",
        ],
        path: "Tests/System/WholePathTests", swiftSettings: strict),
    .testTarget(
        name: "PhoneScenarioTests",
        dependencies: [
            "ActivityDispatch", "EmulatorAPI", "APNsEmulator", "APNsClient", "DomainTime", "DoorstepAPI",
            "LiveActivity", "Messages", "OrderDomain", "PhoneRules", "PostgresClient", "SeededRandom",
            "ServiceRuntime", "TestSupport", "WireCoding", nioHTTP1,
        ],
        path: "Tests/System/PhoneScenarioTests", swiftSettings: strict),
    .testTarget(
        name: "SystemTests",
        dependencies: [
            "TestSupport", "SimulationSupport", "DoorstepAPI", "WireCoding", "DomainTime", "PhoneRules",
            "LiveActivity", "OrderDomain", "PostgresClient", "DeliveryProviders", "ScriptedPeers", "SeededRandom",
            "Messages", "NatsClient", "ProviderSamples", nioHTTP1,
        ],
        path: "Tests/System/SystemTests", exclude: ["Golden"], swiftSettings: strict),
    .testTarget(
        name: "BrowserTests",
        dependencies: [
            "BrowserSupport", "CardPresentation", "DoorstepAPI", "DomainTime", "LiveActivity", "OrderDomain",
            "PhoneRules", "PostgresClient", "ScriptedPeers", "SimulationSupport", "TestSupport", "WebPushTesting",
            "WireCoding", crypto, nioHTTP1,
        ],
        path: "Tests/System/BrowserTests", exclude: ["Harness/door.jpg", "Harness/logo.png", "Harness/town.pmtiles"],
        swiftSettings: strict),
    .executableTarget(
        name: "FaultInjector",
        dependencies: [
            "DeliveryProviders", "DomainTime", "DoorstepAPI", "EmulatorAPI", "FaultInjection", "LiveActivity",
            "Messages", "NatsClient", "OrderDomain", "PhoneRules", "PostgresClient", "ScriptedPeers", "SeededRandom",
            "SimulationSupport", "TestSupport", "WireCoding", arguments, httpClient, nioCore, nioHTTP1, nioPosix,
        ],
        path: "Tests/System/FaultInjector", swiftSettings: strict),
    .testTarget(
        name: "ComposeTests",
        dependencies: [
            "TestSupport", "SimulationSupport", "DoorstepAPI", "EmulatorAPI", "WireCoding", "DomainTime",
            "LiveActivity", "OrderDomain", "PhoneRules", "ScriptedPeers",
        ],
        path: "Tests/System/ComposeTests", swiftSettings: strict),
    .testTarget(
        name: "ArchitectureTests", dependencies: ["PostgresClient", yaml], path: "Tests/ArchitectureTests",
        exclude: ["released-migrations.txt"], swiftSettings: strict),
]

/// What `make demo` and `make up` compile: a build of the package takes every target of it, wanted or not.
let stack = base + domain + contracts + presentation + clients + runtime + commandLine + executables
/// Set to `stack` by `Infra/local/build stack`.
let isStackAlone = Context.environment["DOORSTEP_TARGETS"] == "stack"

let package = Package(
    name: "doorstep",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "orders", targets: ["Orders"]),
        .executable(name: "courier-eta", targets: ["CourierETA"]),
        .executable(name: "activity-dispatch", targets: ["ActivityDispatch"]),
        .executable(name: "desk", targets: ["Desk"]),
        .executable(name: "partners", targets: ["Partners"]),
        .executable(name: "doorstep", targets: ["Doorstep"]),
        .executable(name: "doorstep-admin", targets: ["DoorstepAdmin"]),
        .executable(name: "apns-emulator", targets: ["APNsEmulator"]),
    ],
    // Each bounded to its minor version: CONTRIBUTING says why, and why there is no Package.resolved.
    dependencies: [
        .package(path: "Packages/LiveActivity"),
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.0")),
        .package(url: "https://github.com/apple/swift-asn1", .upToNextMinor(from: "1.7.0")),
        .package(url: "https://github.com/apple/swift-certificates", .upToNextMinor(from: "1.21.0")),
        .package(
            url: "https://github.com/apple/swift-configuration", .upToNextMinor(from: "1.4.0"),
            traits: ["JSON", "CommandLineArguments"]),
        .package(url: "https://github.com/apple/swift-crypto", .upToNextMinor(from: "4.5.0")),
        .package(url: "https://github.com/apple/swift-distributed-tracing", .upToNextMinor(from: "1.7.0")),
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.0")),
        .package(url: "https://github.com/apple/swift-metrics", .upToNextMinor(from: "2.13.0")),
        .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.0")),
        .package(url: "https://github.com/apple/swift-nio-http2", .upToNextMinor(from: "1.46.0")),
        .package(url: "https://github.com/apple/swift-nio-ssl", .upToNextMinor(from: "2.37.0")),
        .package(url: "https://github.com/hummingbird-project/hummingbird", .upToNextMinor(from: "2.28.0")),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", .upToNextMinor(from: "2.1.1")),
        .package(url: "https://github.com/jpsim/Yams", .upToNextMinor(from: "6.2.0")),
        .package(url: "https://github.com/swift-server/async-http-client", .upToNextMinor(from: "1.37.0")),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", .upToNextMinor(from: "2.13.0")),
        .package(url: "https://github.com/vapor/jwt-kit", .upToNextMinor(from: "5.7.0")),
    ],
    targets: isStackAlone
        ? stack : stack + benchmarks + testSupport + libraryTests + executableTests + systemTests,
    swiftLanguageModes: [.v6]
)
