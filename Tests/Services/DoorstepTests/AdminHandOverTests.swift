import DoorstepAPI
import Foundation
import TestSupport
import Testing

@testable import Doorstep

@Suite("Handing over to doorstep-admin", .timeLimit(.minutes(5)))
struct AdminHandOverTests {
    @Test(
        "Only what needs Postgres or NATS is handed over",
        arguments: [
            ("admin doctor", true), ("admin", true), ("help admin", true), ("demo play", true),
            ("eta install m.json", true), ("eta train --from-history --model m.json", true),
            ("eta train folder --model m.json", false), ("eta evaluate folder", false), ("eta", false),
            ("track", false), ("--help", false), ("ops list", false), ("help", false), ("", false),
        ])
    func isNeeded(line: String, expected: Bool) {
        #expect(AdminHandOver.isNeeded(for: line.split(separator: " ").map(String.init)) == expected)
    }

    /// Runs a copy of `doorstep` that stands in a folder of its own, so that no `doorstep-admin` is beside it.
    private func run(
        _ arguments: [String], admin: String?, inPath: Bool = false
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hand-over-\(UUID().uuidString)")
        let other = folder.appending(path: "bin")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let doorstep = folder.appending(path: "doorstep")
        // Copied and written by a child: a file that this process has open for writing could not be executed while
        // another test forks. A link would be resolved to the real executable, which has doorstep-admin beside it.
        func shell(_ script: String, _ arguments: [String]) async throws {
            let (exit, output) = try await ChildProcess.run(
                "/bin/sh", ["-c", script, "sh"] + arguments, environment: ["PATH": "/usr/bin:/bin"])
            #expect(exit == .code(0), "\(output)")
        }
        try await shell("cp \"$1\" \"$2\"", [try Executables.path(of: "doorstep").path, doorstep.path])
        if let admin {
            let script = (inPath ? other : folder).appending(path: "doorstep-admin")
            try await shell("printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$2\" && chmod 755 \"$2\"", [admin, script.path])
        }
        return try await ChildProcess.run(
            doorstep.path, arguments, environment: ["PATH": "/usr/bin:/bin:\(other.path)"])
    }

    @Test("Arguments and exit code go through unchanged", arguments: [false, true])
    func passesThrough(inPath: Bool) async throws {
        let arguments = ["admin", "token", "--subject", "a b", "", "$x"]
        let (exit, output) = try await run(
            arguments, admin: "for a in \"$@\"; do echo \"[$a]\"; done; exit 5", inPath: inPath)
        #expect(exit == .code(5))
        #expect(output == arguments.map { "[\($0)]\n" }.joined())
    }

    @Test("Where it is not installed, a sentence names what to install, and the code is 6")
    func missing() async throws {
        let (exit, output) = try await run(["admin", "doctor"], admin: nil)
        #expect(exit == .code(6))
        #expect(output.contains("doorstep admin doctor needs doorstep-admin, which is not installed"))
        #expect(output.contains("libpq") && output.split(separator: "\n").count == 1)
    }

    @Test(
        "doorstep-admin takes the arguments of doorstep, and lists its commands",
        arguments: ["doorstep", "doorstep-admin"])
    func realOne(program: String) async throws {
        let (exit, help) = try await ChildProcess.run(
            try Executables.path(of: program).path, ["admin", "--help"], environment: ["PATH": "/usr/bin:/bin"])
        #expect(exit == .code(0))
        for command in ["keys", "token", "migrate", "streams", "rebuild-streams", "doctor"] {
            #expect(help.contains("  \(command) "), "\(command)")
        }
        let (usage, _) = try await ChildProcess.run(
            try Executables.path(of: program).path, ["admin", "keys", "--no-such-flag"],
            environment: ["PATH": "/usr/bin:/bin"])
        #expect(usage == .code(2))
    }

    @Test("doorstep lists what it hands over, and both print their version")
    func listed() async throws {
        let environment = ["PATH": "/usr/bin:/bin"]
        let (_, help) = try await ChildProcess.run(
            try Executables.path(of: "doorstep").path, ["--help"], environment: environment)
        #expect(help.contains("  admin ") && help.contains("  eta "))
        for program in ["doorstep", "doorstep-admin"] {
            let (exit, version) = try await ChildProcess.run(
                try Executables.path(of: program).path, ["--version"], environment: environment)
            #expect(exit == .code(0) && version == "\(Version.current)\n")
        }
    }
}

/// The executables that were built with these tests.
enum Executables {
    static func path(of name: String) throws -> URL {
        let beside = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name)
        if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
        let built = root.appending(path: ".build/debug/\(name)").resolvingSymlinksInPath()
        guard FileManager.default.isExecutableFile(atPath: built.path) else { throw CocoaError(.fileNoSuchFile) }
        return built
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
}
