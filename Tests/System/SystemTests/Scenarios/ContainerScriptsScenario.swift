import Foundation
import SimulationSupport
import TestSupport
import Testing

extension SystemTests {
    /// The scripts around Compose, without an engine.
    @Suite("The scripts of containers")
    struct ContainerScriptsScenario {
        @Test("Variables of .env are read as Compose reads them")
        func variables() async throws {
            try await withFolder { folder in
                let text = """
                    DOORSTEP_ENVIRONMENT=production
                    DOORSTEP_ENVIRONMENT=demo
                    DOORSTEP_OIDC_SCOPES="openid profile email # groups" # of the desk
                    export DOORSTEP_TLS=1 # proxy\r
                    DOORSTEP_DOCKER=docker
                    DOORSTEP_UP_SECONDS='7'
                    """
                try Data(text.utf8).write(to: URL(filePath: "\(folder)/.env"))
                let variables = [
                    "DOORSTEP_ENVIRONMENT", "DOORSTEP_OIDC_SCOPES", "DOORSTEP_TLS", "DOORSTEP_DOCKER",
                    "DOORSTEP_UP_SECONDS",
                ]
                let command = #"cd "$1"; . "$2"; shift 2; for name in "$@"; do echo "${!name}"; done"#
                let (exit, output) = try await ChildProcess.run(
                    "bash",
                    ["-euc", command, "bash", folder, Self.script("dotenv")] + variables,
                    environment: ["DOORSTEP_DOCKER": "podman"])
                #expect(exit == .code(0))
                #expect(output == "demo\nopenid profile email # groups\n1\npodman\n7\n")
            }
        }

        @Test("An interrupted start ends Compose, and leaves nothing of it running")
        func interrupted() async throws {
            try await withFolder { folder in
                let environment = try Self.environment(in: folder)
                let up = try ChildProcess(
                    Self.script("up"), environment: environment, standardOutput: .discarded,
                    standardError: .discarded)
                try await withTeardown({ await up.kill9() }) {
                    try await eventually("the start waits for Compose") {
                        let calls = try Self.calls(in: folder)
                        guard let began = calls.firstIndex(of: "compose up") else { return false }
                        return calls[began...].contains("ps --all")
                    }
                    let exit = await up.terminate()
                    #expect(exit == .code(130))
                    let calls = try Self.calls(in: folder)
                    #expect(calls.last == "compose down", "\(calls)")
                }
            }
        }

        private static func script(_ name: String) -> String {
            ProcessStack.root.appending(path: "Infra/docker/\(name)").path
        }

        private func withFolder(_ body: (String) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "scripts-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }  // A temporary folder that is left is harmless.
            try await body(folder.path)
        }

        /// Settings of `up`: all the secrets that it names, free ports, and a Docker whose `compose up` does not end.
        private static func environment(in folder: String) throws -> [String: String] {
            let text = try String(contentsOfFile: script("up"), encoding: .utf8)
            let listed = try #require(text.firstMatch(of: #/for name in ([^;]+); do/#)).1
            let names = listed.split { $0.isWhitespace || $0 == "\\" }.map(String.init)
            for name in names + ["oidc-client-secret", "apns.p8"] {
                try Data("x".utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            let docker = """
                #!/bin/sh
                echo "$1 $2" >>"${0%/*}/calls"
                if [ "$1 $2" = "compose up" ]; then exec sleep 600; fi
                """
            try Data(docker.utf8).write(to: URL(filePath: "\(folder)/docker"))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/docker")
            var environment = ProcessInfo.processInfo.environment
            environment.merge([
                "DOORSTEP_DOCKER": "\(folder)/docker", "DOORSTEP_SECRETS": folder, "DOORSTEP_ENVIRONMENT": "demo",
                "DOORSTEP_PHONES": "0", "DOORSTEP_TLS": "0", "DOORSTEP_SCALE": "", "DOORSTEP_TILES_FILE": "",
            ]) { $1 }
            for service in ["ORDERS", "COURIER_ETA", "ACTIVITY_DISPATCH", "DESK", "PARTNERS"] {
                environment["DOORSTEP_\(service)_PORT"] = "\(try freePort())"
            }
            return environment
        }

        /// The first two words of each of Docker's calls.
        private static func calls(in folder: String) throws -> [String] {
            let file = "\(folder)/calls"
            guard FileManager.default.fileExists(atPath: file) else { return [] }
            return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        }
    }
}
