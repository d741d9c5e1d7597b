import CommandOutput
import Foundation
import ServiceRuntime

/// The tokens of the demo's couriers: given beforehand, or signed with a key for every role.
enum DemoCouriers: Sendable {
    case given([String: String])
    case signed(TokenSigner)

    /// The variable that names a file with a line `id:token` for each courier.
    static let variable = "DOORSTEP_DEMO_COURIERS_FILE"

    /// The given tokens where ``variable`` is set, signed ones otherwise.
    static func ofStack(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> DemoCouriers {
        guard let path = environment[variable], !path.isEmpty else { return .signed(try await .ofStack()) }
        // The failure names the file and its variable; a missing and a forbidden file need the same check.
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandFailure(.usage, "\(path), which \(variable) names, cannot be read")
        }
        return .given(tokens(in: text))
    }

    static func tokens(in text: String) -> [String: String] {
        text.split(separator: "\n").reduce(into: [:]) { tokens, line in
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { tokens[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
    }

    /// - Throws: `CommandFailure` of kind not allowed for a courier without a token.
    func token(of courier: String) async throws -> String {
        switch self {
        case .given(let tokens):
            guard let token = tokens[courier] else {
                throw CommandFailure(.notAllowed, "the file that \(Self.variable) names has no token of \(courier)")
            }
            return token
        case .signed(let signer):
            let now = Date()
            return try await signer.sign(
                Identity(subject: courier, role: .courier, expiresAt: now.addingTimeInterval(6 * 3600)), at: now)
        }
    }
}
