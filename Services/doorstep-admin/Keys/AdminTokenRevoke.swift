import ArgumentParser
import CommandOutput
import Foundation
import ServiceRuntime

/// Revokes tokens in the key file that all services read.
struct AdminTokenRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke one token, or all tokens of a bearer.",
        discussion: """
            Writes into keys.json; services that read that file refuse the tokens within a few seconds. Replace the \
            services' copies of the file too. A token that replaces a revoked one must be signed at least a second \
            later.
            """)

    @Option(help: "The keys.json that the services read.")
    var keys: String
    @Option(help: "The only token to revoke, by its jti.")
    var tokenID: String?
    @Option(help: "The bearer's role: customer, operator, courier or store.")
    var role: Role?
    @Option(help: "The bearer's id.")
    var subject: String?
    @OptionGroup var confirmation: Confirmation

    func validate() throws {
        guard (tokenID != nil) != (role != nil && subject != nil), (role == nil) == (subject == nil) else {
            throw ValidationError("Either --token-id, or --role and --subject.")
        }
        try refuseEmpty([("--token-id", tokenID), ("--subject", subject)])
    }

    func run() async throws {
        let revocation: TokenRevocation
        if let role, let subject {
            // Tokens are dated in whole seconds, so the present one counts as past.
            let second = (Date().timeIntervalSince1970 + 1).rounded(.down)
            revocation = .issued(to: subject, role: role, before: Date(timeIntervalSince1970: second))
        } else if let tokenID {
            revocation = .token(id: tokenID)
        } else {
            return
        }
        try confirmation.ask("Revoke \(tokenID ?? "every token of \(role?.rawValue ?? "") \(subject ?? "")")?")
        try await StackKeys.revoke(revocation, in: keys)
        writeLine("revoked in \(keys)")
    }
}

extension StackKeys {
    /// Adds a revocation to a key file, in place: a container sees the mounted file, not its successor.
    ///
    /// - Throws: `CommandFailure` where the file cannot be read or written; it is then unchanged.
    static func revoke(_ revocation: TokenRevocation, in path: String) async throws {
        try change(keyFile: path) { $0.revoke(revocation) }
    }

    /// Changes a key file in place; unchanged content is not written.
    ///
    /// The new content is whole in a copy beside it until it is whole in the file, so that a power cut loses neither.
    ///
    /// - Throws: `CommandFailure` where the file cannot be read or written; it is then unchanged.
    static func change(keyFile path: String, _ change: (inout TokenKeyFile) throws -> Void) throws {
        guard let handle = FileHandle(forUpdatingAtPath: path) else {
            throw CommandFailure(.usage, "\(path) cannot be opened to be written")
        }
        // `synchronize()` has reported every failed write before the file is closed.
        defer { try? handle.close() }
        try lock(handle, at: path)
        let formerContent: Data
        var file: TokenKeyFile
        do {
            formerContent = try handle.readToEnd() ?? Data()
            file = try TokenKeyFile(json: formerContent, at: path)
        } catch {
            throw CommandFailure(.usage, "\(path) is no key file")
        }
        let former = file
        try change(&file)
        // A file that a power cut has cut is written anew in any case.
        guard file != former || (try? TokenKeyFile(json: formerContent)) == nil else { return }
        let content = try file.json()
        let copy = URL(filePath: TokenKeyFile.copy(of: path))
        try KeyFiles.create(copy, String(decoding: content, as: UTF8.self), like: URL(filePath: path))
        // One write, after which the rest of a longer content is truncated: blank until then, so that the file is a
        // document at each moment.
        let blank = Data(repeating: UInt8(ascii: " "), count: max(0, formerContent.count - content.count))
        do {
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: content + blank)
            try handle.truncate(atOffset: UInt64(content.count))
            try handle.synchronize()
        } catch {
            throw CommandFailure(.usage, "\(path) cannot be written: \(error.localizedDescription)")
        }
        unlink(copy.path)
    }

    /// Puts changes at once one after the other; the file is changed in place, so that they lock the same one.
    ///
    /// A file system without locks refuses no revocation: there two at once may lose one, as without this.
    private static func lock(_ handle: FileHandle, at path: String) throws(CommandFailure) {
        while flock(handle.fileDescriptor, LOCK_EX) != 0 {
            switch errno {
            case EINTR: continue
            case ENOLCK, ENOSYS, EOPNOTSUPP: return
            default: throw CommandFailure(.usage, "\(path) cannot be locked: \(String(cString: strerror(errno)))")
            }
        }
    }
}
