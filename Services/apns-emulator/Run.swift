import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals
import WireCoding

/// `apns-emulator run`: serves until SIGTERM or SIGINT.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Serve providers over HTTP/2 and TLS, and operators over plain HTTP.")

    @Option(help: "The directory of the files made by init.")
    var directory: String

    @Option(help: "The listening address for providers.")
    var host = "127.0.0.1"

    @Option(help: "The port for providers, production; 0 for any.")
    var port = 0

    @Option(help: "The port for providers, sandbox; 0 for any.")
    var sandboxPort = 0

    @Option(help: "The listening address for operators; it has no authentication.")
    var controlHost = "127.0.0.1"

    @Option(
        help: "A host name of operators' requests beside localhost and 127.0.0.1, such as apns-emulator; repeatable.")
    var controlName: [String] = []

    @Option(help: "The port for operators; 0 for any.")
    var controlPort = 0

    @Option(help: "The file for the ports, written once all listen: NAME=NUMBER a line.")
    var portsFile: String?

    @Option(help: "Seconds of the phones' time in one of the wall clock.")
    var clockRate = 1.0

    @Option(help: "The phones' time at --clock-wall-origin, ISO 8601.")
    var clockOrigin: String?

    @Option(help: "The wall time of --clock-origin, ISO 8601.")
    var clockWallOrigin: String?

    @Option(help: "Base URL of activity-dispatch, where the apps of phones register.")
    var serviceURL: String?

    @Option(help: "The origin of cards' links, which apps press with the customer's token; without it they press none.")
    var linkOrigin: String?

    func run() async throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        let logger = Logger(label: "apns-emulator")
        let files = EmulatorFiles(directory: URL(filePath: directory, directoryHint: .isDirectory))
        let clock = EmulatorClock(
            rate: clockRate, origin: try epoch(clockOrigin, "--clock-origin"),
            wallOrigin: try epoch(clockWallOrigin, "--clock-wall-origin"))
        let emulator = try Emulator(
            files: files, clock: clock,
            addresses: Emulator.Addresses(
                host: host, port: port, sandboxPort: sandboxPort, controlHost: controlHost, controlPort: controlPort,
                controlNames: Set(controlName.map { $0.lowercased() })),
            serviceURL: serviceURL, linkOrigin: linkOrigin, logger: logger)
        let ready = ReadyPorts(emulator: emulator, portsFile: portsFile, logger: logger)
        var group = ServiceGroupConfiguration(
            services: (emulator.services + [ready]).map {
                .init(
                    service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(10)
        group.maximumCancellationDuration = .seconds(5)
        try await ServiceGroup(configuration: group).run()
    }

    private func epoch(_ text: String?, _ option: String) throws -> Double? {
        guard let text, !text.isEmpty else { return nil }
        guard let date = WireJSON.date(from: text) else {
            throw ValidationError("\(option): \(text) is not an ISO 8601 time, such as 2026-11-21T18:24:00Z")
        }
        return date.timeIntervalSince1970
    }
}

/// Writes down the ports once all are listened on, and waits.
private struct ReadyPorts: Service, CustomStringConvertible {
    let emulator: Emulator
    let portsFile: String?
    let logger: Logger

    var description: String { "apns-emulator ports file" }

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            guard let ports = await emulator.listening() else { return }
            logger.info("the emulator listens for operators", metadata: ["port": "\(ports.control)"])
            if let portsFile {
                let text = """
                    production=\(ports.provider.production)
                    sandbox=\(ports.provider.sandbox)
                    control=\(ports.control)

                    """
                try Data(text.utf8).write(to: URL(filePath: portsFile), options: .atomic)
            }
        }
        // Cancellation ends the wait too.
        try? await gracefulShutdown()
    }
}
