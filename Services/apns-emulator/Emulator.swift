import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// The whole emulator, wired and not started.
struct Emulator: Sendable {
    struct Addresses: Hashable, Sendable {
        var host = "127.0.0.1"
        var port = 0
        var sandboxPort = 0
        var controlHost = "127.0.0.1"
        var controlPort = 0
        /// Names beside loopback's by which the operator's side is asked.
        var controlNames: Set<String> = []
    }

    let fleet: PhoneFleet
    let service: PushService
    let provider: ProviderServer
    /// In the order they start.
    let services: [any Service]
    private let controlPort: AsyncStream<Int>

    /// - Parameters:
    ///   - serviceURL: where the apps of phones register; nil for none.
    ///   - linkOrigin: the origin of the links that apps press; nil where they press none.
    /// - Throws: an error that names the file that cannot be used.
    init(
        files: EmulatorFiles, clock: EmulatorClock, addresses: Addresses = Addresses(),
        serviceURL: String? = nil, linkOrigin: String? = nil, logger: Logger
    ) throws {
        let fleet = PhoneFleet(clock: clock)
        let service = PushService(keys: [try files.signingKey()], fleet: fleet, clock: clock)
        provider = try ProviderServer(
            service: service, certificate: [UInt8](try files.read(files.serverCertificate)),
            key: [UInt8](try files.read(files.serverKey)), host: addresses.host, port: addresses.port,
            sandboxPort: addresses.sandboxPort, logger: logger)
        let (controlPort, listens) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        var quiet = logger
        quiet.logLevel = .warning
        let control = Application(
            router: ControlHTTP(
                service: service, fleet: fleet, serviceURL: serviceURL, names: addresses.controlNames
            ).router,
            configuration: ApplicationConfiguration(
                address: .hostname(addresses.controlHost, port: addresses.controlPort), serverName: nil),
            onServerRunning: { channel in
                listens.yield(channel.localAddress?.port ?? 0)
                listens.finish()
            }, logger: quiet)
        self.fleet = fleet
        self.service = service
        self.controlPort = controlPort
        services = [
            provider, control,
            AppRunner(fleet: fleet, linkOrigin: linkOrigin, client: HTTPClient.shared, logger: logger),
        ]
    }

    /// Waits until every port is listened on; nil where the emulator stops before; for one caller.
    func listening() async -> (provider: ProviderServer.Ports, control: Int)? {
        for await provider in provider.listening {
            for await control in controlPort { return (provider, control) }
        }
        return nil
    }
}
