import Foundation
import TestSupport

/// Docker and Docker Compose as commands, for one project.
struct Docker: Sendable {
    /// A command that failed, with its output.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// Everything that `docker-compose.yml` reads from its environment, and what finds the engine.
    var environment: [String: String]

    /// Runs Compose to its end.
    ///
    /// - Throws: ``Failed``, unless it left with 0.
    @discardableResult
    func compose(_ arguments: [String]) async throws -> String {
        let (succeeded, output) = try await tryCompose(arguments)
        guard succeeded else { throw Failed(description: "compose \(arguments.joined(separator: " ")):\n\(output)") }
        return output
    }

    /// Runs Compose to its end, for callers that expect a failure.
    func tryCompose(_ arguments: [String]) async throws -> (succeeded: Bool, output: String) {
        let script = Self.root.appending(path: "Infra/docker/compose").path
        let (exit, output) = try await ChildProcess.run(script, arguments, environment: environment)
        return (exit == .code(0), output)
    }

    /// Runs Compose to its end with a file as its standard input.
    func compose(_ arguments: [String], readingFrom file: String) async throws -> (succeeded: Bool, output: String) {
        let script = #"input=$1; shift; exec "$@" <"$input""#
        let compose = Self.root.appending(path: "Infra/docker/compose").path
        let (exit, output) = try await ChildProcess.run(
            "/bin/sh", ["-c", script, "sh", file, compose] + arguments, environment: environment)
        return (exit == .code(0), output)
    }

    /// Runs Docker itself to its end.
    @discardableResult
    func docker(_ arguments: [String]) async throws -> String {
        let program = environment["DOORSTEP_DOCKER"] ?? "docker"
        let (exit, output) = try await ChildProcess.run(program, arguments, environment: environment)
        guard exit == .code(0) else {
            throw Failed(description: "docker \(arguments.joined(separator: " ")):\n\(output)")
        }
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs a shell command in a running container.
    func shell(in service: String, _ command: String) async throws -> (succeeded: Bool, output: String) {
        try await tryCompose(["exec", "-T", service, "bash", "-c", command])
    }

    /// The package's folder: three above this file's.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
