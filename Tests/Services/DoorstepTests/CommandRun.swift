import Foundation
import ScriptedPeers
import TestSupport

/// Runs a program with one server as every service, and with tokens of these holders.
///
/// - Parameters:
///   - holders: as in the variables of their tokens' files.
///   - environment: variables beside the addresses and the tokens.
/// - Returns: how it ended, and all it wrote to both outputs.
func runCommand(
    _ arguments: [String], over server: ScriptedHTTPServer, executable: String = "doorstep",
    holders: [String] = ["OPERATOR"], environment: [String: String] = [:]
) async throws -> (exit: ChildProcess.Exit, output: String) {
    let token = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: token) }  // A temporary file that is left is harmless.
    try Data("token\n".utf8).write(to: token)
    var variables = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"].merging(environment) { $1 }
    for service in ["ORDERS", "COURIER_ETA", "ACTIVITY_DISPATCH", "DESK", "PARTNERS"] {
        variables["DOORSTEP_\(service)_URL"] = server.origin
    }
    for holder in holders { variables["DOORSTEP_\(holder)_TOKEN_FILE"] = token.path }
    return try await ChildProcess.run(
        try Executables.path(of: executable).path, arguments, environment: variables)
}
