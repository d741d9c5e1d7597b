import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import ProcessSettings
import ServiceRuntime

extension Role: ExpressibleByArgument {}

/// Signs tokens and revokes them; without the name of either, it signs.
struct AdminToken: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Sign a token, or revoke tokens.",
        subcommands: [AdminTokenSign.self, AdminTokenRevoke.self], defaultSubcommand: AdminTokenSign.self)
}

/// Signs a token.
struct AdminTokenSign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign a token, and print it.",
        discussion: "Signs with the key in the file that DOORSTEP_TOKEN_KEY_FILE names: admin.pem of admin keys.")

    @Option(help: "The role: customer, operator, courier or store.")
    var role: Role
    @Option(help: "The id of the token's bearer, recorded with each action.")
    var subject: String
    @Option(help: "The only store of the token's scope.")
    var store: String?
    @Option(
        help:
            "An operator's scope: viewer, dispatcher or supervisor, the widest, which is the default.",
        transform: { text in
            guard let scope = OperatorScope(rawValue: text) else {
                throw ValidationError("--scope is viewer, dispatcher or supervisor")
            }
            return scope
        })
    var scope: OperatorScope?
    @Option(help: "The token's lifetime in hours.")
    var lifetimeHours = 12.0

    func validate() throws {
        guard lifetimeHours > 0 else { throw ValidationError("--lifetime-hours is above 0") }
        guard scope == nil || role == .operator else {
            throw ValidationError("--scope is of operators' tokens")
        }
        guard subject.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else {
            throw ValidationError("--subject is 1 to 64 letters, digits, - and _")
        }
    }

    func run() async throws {
        let signer = try await TokenSigner.ofStack()
        let now = Date()
        writeLine(
            try await signer.sign(
                Identity(
                    subject: subject, role: role, store: store, scope: scope?.rawValue,
                    tokenID: UUID().uuidString.lowercased(),
                    expiresAt: now.addingTimeInterval(lifetimeHours * 3600)),
                at: now))
    }
}

extension TokenSigner {
    /// The one that signs for every role.
    ///
    /// - Throws: `CommandFailure` where its key cannot be had.
    static func ofStack(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws -> TokenSigner {
        let variable = "DOORSTEP_TOKEN_KEY_FILE"
        guard let path = environment[variable], !path.isEmpty else {
            throw CommandFailure(.notAllowed, "no key to sign with: set \(variable) to the admin.pem of admin keys")
        }
        do {
            return try await TokenSigner(kid: StackKeys.adminKid, file: path)
        } catch let error as ConfigurationError {
            throw CommandFailure(.notAllowed, error.description)
        }
    }
}
