import EmulatorAPI
import Foundation
import Logging
import NIOHPACK
import PhoneRules
import ServiceLifecycle
import TextCoding

@testable import APNsEmulator

/// An emulator of the tests on ports of the kernel's choice, with files of its own.
struct RunningEmulator: Sendable {
    let emulator: Emulator
    let files: EmulatorFiles
    let ports: ProviderServer.Ports
    let control: Int
    private let bearer: String

    /// Runs it for as long as `body` takes.
    static func run(_ body: @Sendable (RunningEmulator) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apns-emulator-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = EmulatorFiles(directory: folder)
        try files.make(names: ["localhost", "127.0.0.1"], keyID: "TESTKEY001", teamID: "TESTTEAM01")
        var logger = Logger(label: "test")
        logger.logLevel = .error
        let emulator = try Emulator(files: files, clock: EmulatorClock(), logger: logger)
        let group = ServiceGroup(
            configuration: .init(services: emulator.services.map { .init(service: $0) }, logger: logger))
        let text = String(decoding: try files.read(files.providerKey("TESTKEY001")), as: UTF8.self)
        // One token for all requests: another is refused within twenty minutes, and no two signatures are alike.
        let token = try ES256Key(pem: text).sign(
            header: #"{"alg":"ES256","kid":"TESTKEY001"}"#,
            claims: #"{"iss":"TESTTEAM01","iat":\#(emulator.fleet.clock.serviceTime)}"#)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            guard let (ports, control) = await emulator.listening() else { return }
            do {
                try await body(
                    RunningEmulator(
                        emulator: emulator, files: files, ports: ports, control: control, bearer: "bearer \(token)"))
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    func connect(
        sandbox: Bool = false, offering protocols: [String] = ["h2"], validates: Bool = true
    ) async throws -> RawProvider {
        try await RawProvider.connect(
            port: sandbox ? ports.sandbox : ports.production, trusting: files.caCertificate.path(),
            offering: protocols, validates: validates)
    }

    /// Runs it with a phone, the connection of a provider, and the phone's token that starts cards.
    static func connected(
        _ body: @escaping @Sendable (RunningEmulator, RawProvider, _ token: String) async throws -> Void
    ) async throws {
        try await run { emulator in
            let token = try emulator.addPhone("p")
            let provider = try await emulator.connect()
            try await body(emulator, provider, token)
            await provider.close()
        }
    }

    /// A phone of the app of the tests; answers its token that starts cards.
    @discardableResult
    func addPhone(_ id: String, change: (inout NewEmulatedPhoneBody) -> Void = { _ in }) throws -> String {
        var body = NewEmulatedPhoneBody(id: id, bundleID: "shop.nordhavn.app")
        change(&body)
        guard emulator.fleet.add(try body.phone(at: emulator.fleet.clock.now)) == .added else { return "" }
        return try emulator.fleet.phone(id).phone.startToken ?? ""
    }

    func headers(_ token: String, id: String? = nil) -> HPACKHeaders {
        var headers = HPACKHeaders([
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", "/3/device/\(token)"),
            ("authorization", bearer), ("apns-topic", "shop.nordhavn.app.push-type.liveactivity"),
            ("apns-push-type", "liveactivity"),
        ])
        if let id { headers.add(name: "apns-id", value: id) }
        return headers
    }
}
