import ArgumentParser
import CommandOutput
import Crypto
import Foundation
import ServiceRuntime
import TextCoding

/// Makes a stack's keys and rotates them; without the name of either, it makes them.
struct AdminKeys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Make a stack's keys, or rotate them.",
        subcommands: [AdminKeysMake.self, AdminKeysRotate.self], defaultSubcommand: AdminKeysMake.self)
}

/// Makes a stack's keys.
struct AdminKeysMake: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: """
            Make a stack's keys in a folder: for tokens, links, kept secrets, PINs, erasures and alerts to browsers.
            """,
        discussion: """
            Writes admin.pem (signs every role; keep it apart), orders.pem (signs customers only; for orders), \
            desk.pem (signs operators only; for desk), keys.json (the public keys; for every service), link-keys (for \
            orders), secret-keys (encrypts others' secrets in partners), pin-keys (encrypts PINs, images, archives and \
            sealed personal data; for orders and activity-dispatch), erasure-keys (recognises erased customers and \
            couriers; for orders) and web-push.pem (for activity-dispatch). With --only-… it writes each key that is \
            named alone. Replaces nothing.
            """)

    @Option(help: "The folder; created if missing.")
    var directory: String
    @Flag(help: "Make web-push.pem alone, for existing keys without one.")
    var onlyWebPush = false
    @Flag(help: "Make desk.pem alone, and add its public key to an existing keys.json.")
    var onlyDesk = false
    @Flag(help: "Make secret-keys alone, for existing keys without one.")
    var onlySecretKeys = false
    @Flag(help: "Make pin-keys alone, for existing keys without one.")
    var onlyPinKeys = false
    @Flag(help: "Make erasure-keys alone, for existing keys without one.")
    var onlyErasureKeys = false

    func run() async throws {
        let folder = URL(filePath: directory, directoryHint: .isDirectory)
        let keys = StackKeys.generate()
        let files = try parts.isEmpty ? keys.write(to: folder) : keys.write(only: parts, to: folder)
        for file in files { writeLine("wrote \(file)") }
    }

    /// The keys that are made alone; empty for all of them.
    var parts: [StackKeys.Part] {
        let given: [(part: StackKeys.Part, isGiven: Bool)] = [
            (.desk, onlyDesk), (.webPush, onlyWebPush), (.secrets, onlySecretKeys), (.pins, onlyPinKeys),
            (.erasures, onlyErasureKeys),
        ]
        return given.compactMap { $0.isGiven ? $0.part : nil }
    }
}

/// The keys of one stack.
struct StackKeys: Sendable {
    /// Keys that can be made alone, for existing ones without them.
    enum Part: CaseIterable, Sendable {
        case desk, webPush, secrets, pins, erasures
    }

    /// Signs for every role.
    static let adminKid = "doorstep-admin"
    /// Signs for customers only, in `orders`.
    static let ordersKid = "orders"
    /// Signs for operators only, in `desk`.
    static let deskKid = "desk"
    /// The random bytes of a link key, equal to its HMAC-SHA256's size, and of a key for stored secrets.
    static let keyBytes = 32

    let admin: TokenKeyPair
    let orders: TokenKeyPair
    let desk: TokenKeyPair
    /// The link keys' line, `1:hex`.
    let linkKeys: String
    /// The secret keys' line, `1:hex`; only this key decrypts its secrets.
    let secretKeys: String
    /// The line of keys for customers' PINs, `1:hex`.
    let pinKeys: String
    /// The line of keys that hash the ids of erased customers, `1:hex`; it is never rotated.
    let erasureKeys: String
    /// PEM; browsers subscribe to alerts that are signed with it alone.
    let webPush: String

    /// Makes all of them from the system's randomness.
    static func generate() -> StackKeys {
        StackKeys(
            admin: .generate(kid: adminKid), orders: .generate(kid: ordersKid), desk: .generate(kid: deskKid),
            linkKeys: firstLine(), secretKeys: firstLine(), pinKeys: firstLine(),
            erasureKeys: firstLine(),
            webPush: P256.Signing.PrivateKey().pemRepresentation + "\n")
    }

    /// A file of keys with its first: an id and random bytes in hexadecimal digits.
    private static func firstLine() -> String { "1:\(Hexadecimal.encode(randomBytes()))\n" }

    /// The bytes of a new key, from the system's randomness.
    static func randomBytes() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<keyBytes).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// Writes each into a file that only its owner may read.
    ///
    /// - Returns: the files' paths.
    /// - Throws: `CommandFailure` of kind conflict, before anything is written, where one of them is there already.
    func write(to folder: URL) throws -> [String] {
        let publicKeys = try TokenKeyFile(
            keys: [admin.entry(roles: Role.allCases), orders.entry(roles: [.customer]), deskEntry]
        ).json()
        let files: [(name: String, content: Data)] = [
            ("admin.pem", Data(admin.privateKeyPEM.utf8)), ("orders.pem", Data(orders.privateKeyPEM.utf8)),
            ("keys.json", publicKeys), ("link-keys", Data(linkKeys.utf8)),
        ]
        return try Self.write(
            files + Part.allCases.map(file(of:)), to: folder,
            otherwise: ": name another folder, or what is missing by an option --only-…")
    }

    /// Writes these keys alone, as ``write(to:)`` does; the desk's public key joins the list that is there.
    func write(only parts: [Part], to folder: URL) throws -> [String] {
        let list = folder.appending(path: "keys.json")
        if parts.contains(.desk) { try Self.checkHasNoDesk(list) }
        let paths = try Self.write(parts.map(file(of:)), to: folder)
        guard parts.contains(.desk) else { return paths }
        do {
            try StackKeys.change(keyFile: list.path) { $0.keys.append(deskEntry) }
        } catch {
            paths.forEach { unlink($0) }
            throw error
        }
        return paths + [list.path]
    }

    private static func checkHasNoDesk(_ list: URL) throws(CommandFailure) {
        // The failure names the file and the command that makes it, the remedy for either error.
        guard let data = try? Data(contentsOf: list), let file = try? TokenKeyFile(json: data) else {
            throw CommandFailure(
                .usage, "\(list.path) cannot be read; it is made by: doorstep admin keys --directory …")
        }
        guard !file.keys.contains(where: { $0.kid == deskKid }) else {
            throw CommandFailure(.conflict, "\(list.path) has a key \(deskKid) already; keys are never replaced")
        }
    }

    private var deskEntry: TokenKeys.Entry { desk.entry(roles: [.operator]) }

    private func file(of part: Part) -> (name: String, content: Data) {
        switch part {
        case .desk: ("desk.pem", Data(desk.privateKeyPEM.utf8))
        case .webPush: ("web-push.pem", Data(webPush.utf8))
        case .secrets: ("secret-keys", Data(secretKeys.utf8))
        case .pins: ("pin-keys", Data(pinKeys.utf8))
        case .erasures: ("erasure-keys", Data(erasureKeys.utf8))
        }
    }

    /// - Parameter advice: follows the failure that one of them is there already.
    private static func write(
        _ files: [(name: String, content: Data)], to folder: URL, otherwise advice: String = ""
    ) throws -> [String] {
        let paths = files.map { folder.appending(path: $0.name).path }
        for path in paths where FileManager.default.fileExists(atPath: path) {
            throw CommandFailure(.conflict, "\(path) is there already, and keys are never replaced\(advice)")
        }
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(.usage, "the folder \(folder.path) cannot be made (\(error.localizedDescription))")
        }
        for (path, file) in zip(paths, files) { try create(path, file.content) }
        return paths
    }

    /// Makes a file with its permissions, so that no other user can open it in between.
    private static func create(_ path: String, _ content: Data) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(.usage, "\(path) cannot be written (\(String(cString: strerror(errno))))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: content)
            try file.synchronize()
        } catch {
            throw CommandFailure(.usage, "\(path) cannot be written (\(error.localizedDescription))")
        }
    }
}
