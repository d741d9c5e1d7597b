import Foundation
import SimulationSupport
import TestSupport
import Testing

extension SystemTests.ContainerScriptsScenario {
    @Test(
        "An interrupted start ends Compose, and leaves nothing running that it started",
        arguments: [
            ("", "", "compose down --timeout 5"), ("orders", "partners", "stop -t 5 b2"),
            ("", "partners", "stop -t 5 a1 b2"),
        ])
    func interrupted(running: String, restarting: String, lastCall: String) async throws {
        try await withFolder { folder in
            let environment = try Self.environment(in: folder, running: running, restarting: restarting)
            let (answers, output) = ("\(folder)/answers", "\(folder)/output")
            #expect(mkfifo(answers, 0o600) == 0)
            let answer = try #require(FileHandle(forUpdatingAtPath: answers))
            let up = try ChildProcess(
                Self.script("up"), environment: environment, standardOutput: .file(output),
                standardError: .file(output))
            try await withTeardown({ await up.kill9() }) {
                try await eventually("the start asks what failed while it waits for Compose") {
                    try Self.calls(in: folder).contains("held")
                }
                // The trap runs after a command that found nothing, and failed.
                up.signal(SIGTERM)
                try answer.write(contentsOf: Data(repeating: UInt8(ascii: "\n"), count: 100))
                let exit = await up.wait()
                let written = try String(contentsOfFile: output, encoding: .utf8)
                #expect(exit == .code(130), "\(written)")
                let calls = try Self.calls(in: folder)
                #expect(calls.last == lastCall, "\(calls)")
            }
        }
    }

    /// Settings of `up`: all the secrets that it names, free ports, and a Docker whose `compose up` does not end, and
    /// which from then on names what failed once a line is in the pipe `answers`, and is `held` until then.
    ///
    /// - Parameters:
    ///   - running: the service that runs before, if any; `orders`, `desk` and `partners` are up after the start.
    ///   - restarting: the service that restarts in a loop before, if any.
    private static func environment(
        in folder: String, running: String, restarting: String
    ) throws -> [String: String] {
        let text = try String(contentsOfFile: script("up"), encoding: .utf8)
        let listed = try #require(text.firstMatch(of: #/for name in ([^;]+); do/#)).1
        let names = listed.split { $0.isWhitespace || $0 == "\\" }.map(String.init)
        for name in names + ["oidc-client-secret", "apns.p8"] {
            try Data("x".utf8).write(to: URL(filePath: "\(folder)/\(name)"))
        }
        let docker = #"""
            #!/bin/sh
            echo "$*" >>"${0%/*}/calls"
            case "$*" in
            "compose up"*) exec sleep 600 ;;
            "ps "*" --quiet "*)
                if grep -q '^compose up' "${0%/*}/calls"; then
                    echo held >>"${0%/*}/calls"
                    read -r _ <"${0%/*}/answers"
                fi
                ;;
            "ps "*"{{.ID}} {{.Label"*) printf 'a1 orders\nb2 desk\nc3 partners\n' ;;
            "ps "*"restarting --format {{.Label"*) printf '%s\n' \#(running) \#(restarting) ;;
            "ps "*"{{.Label"*) printf '%s\n' \#(running) ;;
            esac
            """#
        try writeProgram(docker, to: "\(folder)/docker")
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
}
