import Foundation
import Glibc

/// The server's programs, and the user that runs them.
package struct PostgresTools: Sendable {
    package let binaries: String
    /// The user that runs the server when we are root; nil when it is ourselves.
    let user: String?

    package static func find() async throws -> PostgresTools {
        let user = getuid() == 0 ? (getpwnam("postgres") == nil ? "nobody" : "postgres") : nil
        for folder in await candidates() where access("\(folder)/initdb", X_OK) == 0 {
            return PostgresTools(binaries: folder, user: user)
        }
        throw PrivatePostgres.ServerError(description: "initdb is not installed (package postgresql)")
    }

    /// The folder of `pg_config`, then Debian's versions side by side, newest first.
    private static func candidates() async -> [String] {
        let configured = (try? await ChildProcess.run("pg_config", ["--bindir"]))?.output
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        return [configured?.trimmingCharacters(in: .whitespacesAndNewlines)].compactMap { $0 }
            + versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
    }

    /// A new folder that belongs to the server's user.
    func makeFolder() throws -> String {
        var template = Array("/tmp/doorstep-postgres-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else {
            throw PrivatePostgres.ServerError(description: "creating a folder: \(String(cString: strerror(errno)))")
        }
        let folder = String(cString: path)
        if let user, let entry = getpwnam(user) {
            guard chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid) == 0 else {
                throw PrivatePostgres.ServerError(description: "giving \(folder) to \(user) failed")
            }
        }
        return folder
    }

    /// The command that runs one of the server's programs as its user.
    func command(_ program: String, _ arguments: [String]) -> [String] {
        let command = ["\(binaries)/\(program)"] + arguments
        guard let user, let entry = getpwnam(user)?.pointee else { return command }
        return ["setpriv", "--reuid=\(entry.pw_uid)", "--regid=\(entry.pw_gid)", "--clear-groups", "--"] + command
    }

    func run(_ program: String, _ arguments: [String]) async throws {
        let command = command(program, arguments)
        let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"]
        let (exit, output) = try await ChildProcess.run(
            command[0], Array(command.dropFirst()), environment: environment)
        guard exit == .code(0) else {
            throw PrivatePostgres.ServerError(description: "\(program): \(exit) \(output)")
        }
    }
}
