import Foundation
import TestSupport

/// Apple's push service and the phones behind it, as a process of a stack.
extension ProcessStack {
    /// The name of the process, and of the server that services reach where a detour is asked for.
    package static let emulator = "apns-emulator"

    /// The ports of `apns-emulator`, and of the services that it calls.
    struct EmulatorPorts: Sendable {
        let production: Int
        /// The port at which `activity-dispatch` reaches `production`.
        let reachedProduction: Int
        let sandbox: Int
        let control: Int
        /// The port at which phones' apps reach `activity-dispatch`.
        let reachedDispatch: Int

        /// - Parameter dispatch: where `activity-dispatch` listens.
        static func free(dispatch: Int, through detour: Detour) async throws -> EmulatorPorts {
            let production = try freePort()
            return EmulatorPorts(
                production: production, reachedProduction: try await detour(ProcessStack.emulator, production),
                sandbox: try freePort(), control: try freePort(),
                reachedDispatch: try await detour(ServiceName.dispatch.rawValue, dispatch))
        }
    }

    private nonisolated var phonesFolder: String { "\(folder)/phones" }

    /// The phones; nil in a stack without them.
    package nonisolated var phones: EmulatedPhones? {
        emulatorPorts.map { EmulatedPhones(url: "http://127.0.0.1:\($0.control)") }
    }

    /// Makes Apple's keys and starts its service; without effect in a stack without phones.
    func startEmulator() async throws {
        guard let ports = emulatorPorts, let phones else { return }
        try await Self.run(Self.emulator, ["init", "--directory", phonesFolder], environment: base)
        let arguments = [
            "run", "--directory", phonesFolder, "--port", "\(ports.production)", "--sandbox-port", "\(ports.sandbox)",
            "--control-port", "\(ports.control)", "--clock-origin", base["CLOCK_ORIGIN"] ?? "",
            "--clock-wall-origin", base["CLOCK_WALL_ORIGIN"] ?? "", "--clock-rate", base["CLOCK_RATE"] ?? "",
            "--service-url", "http://127.0.0.1:\(ports.reachedDispatch)", "--link-origin",
            url(Replica(service: .orders, number: 1)),
        ]
        watch(
            Self.emulator,
            try ChildProcess(
                Self.executable(Self.emulator), arguments, environment: base, standardOutput: log(Self.emulator),
                standardError: log(Self.emulator)))
        try await eventually("apns-emulator is ready") {
            await RetryingClient.probe("\(phones.url)/health/ready") == 200
        }
    }

    /// The settings of `activity-dispatch` for pushes to it.
    var pushSettings: [String: String] {
        guard let ports = emulatorPorts else { return [:] }
        return [
            "APNS_KEY_FILE": "\(phonesFolder)/AuthKey_EMULATORK1.p8", "APNS_KEY_ID": "EMULATORK1",
            "APNS_TEAM_ID": "EMULATORT1", "APNS_BUNDLE_ID": "shop.nordhavn.app",
            "APNS_TRUST_ROOTS_FILE": "\(phonesFolder)/ca.pem",
            "APNS_PRODUCTION_URL": "https://127.0.0.1:\(ports.reachedProduction)",
            "APNS_SANDBOX_URL": "https://127.0.0.1:\(ports.sandbox)",
        ]
    }
}
