import CommandOutput
import Crypto
import Foundation
import ServiceRuntime

/// The rotation of the keys that sign tokens: those of administrators, of `orders` and of `desk`.
struct TokenKeyRotation: Sendable {
    /// The files' names, without their extension.
    private static let signers = ["admin", "orders", "desk"]

    let folder: URL
    let rules: KeyRotation

    private var list: URL { folder.appending(path: "keys.json") }

    /// - Returns: lines to print.
    /// - Throws: `CommandFailure`; the files are unchanged, or a repeat of the step completes it.
    func make(_ step: KeyRotation.Step) throws -> [String] {
        switch step {
        case .add: try add()
        case .sign: try sign()
        case .drop: try drop()
        }
    }

    private func add() throws -> [String] {
        let present = Self.signers.filter { KeyFiles.exists(current($0)) }
        guard !present.isEmpty else {
            throw CommandFailure(.usage, "\(folder.path) has no admin.pem, orders.pem or desk.pem")
        }
        var lines: [String] = []
        for name in present {
            let file = try keyFile()
            guard let former = try file.keys.first(where: { try isPublic($0, of: current(name)) }) else {
                throw CommandFailure(.usage, "\(list.path) has no public key of \(name).pem")
            }
            if !KeyFiles.exists(next(name)) {
                let pair = TokenKeyPair.generate(kid: freeKid(after: former.kid, in: file))
                let text = SigningKeyFile(kid: pair.kid, pem: pair.privateKeyPEM).text
                try KeyFiles.create(next(name), text, like: current(name))
            }
            let key = SigningKeyFile(try KeyFiles.text(of: next(name)))
            let publicKey = try privateKey(next(name)).publicKey.pemRepresentation
            let kid = key.kid ?? former.kid
            try StackKeys.change(keyFile: list.path) { file in
                guard !file.keys.contains(where: { $0.kid == kid }) else { return }
                file.keys.append(.init(kid: kid, roles: former.roles, publicKey: publicKey))
            }
            lines.append("\(kid) is trusted; \(former.kid) signs")
        }
        return lines + [
            "Next: give every service this keys.json. They read it again every two seconds; in Kubernetes it takes about",
            "a minute. Then: \(rules.command("--tokens", .sign))",
        ]
    }

    private func sign() throws -> [String] {
        let waiting = Self.signers.filter { KeyFiles.exists(next($0)) }
        guard !waiting.isEmpty else {
            return ["no key waits to sign; \(rules.command("--tokens", .add)) makes them"]
        }
        // Dates of the file have whole seconds.
        let since = Date(timeIntervalSince1970: rules.now.timeIntervalSince1970.rounded(.up))
        var lines: [String] = []
        for name in waiting {
            let kid = SigningKeyFile(try KeyFiles.text(of: next(name))).kid ?? ""
            guard try keyFile().keys.contains(where: { $0.kid == kid }) else {
                throw CommandFailure(.conflict, "\(list.path) has no key \(kid); run the step add first")
            }
            try StackKeys.change(keyFile: list.path) { file in
                for index in file.keys.indices where file.keys[index].retiredAt == nil {
                    if try isPublic(file.keys[index], of: current(name)) { file.keys[index].retiredAt = since }
                }
            }
            try KeyFiles.move(next(name), to: current(name))
            lines.append("\(kid) signs by \(name).pem from its next start")
        }
        return lines + [
            "Next: give orders its orders.pem and desk its desk.pem, and restart their replicas one after another. Sign new",
            "tokens for shops, operators and couriers in place of those that the former key signed. When the last of these",
            "has expired: \(rules.command("--tokens", .drop, "--restarted TIME"))",
        ]
    }

    private func drop() throws -> [String] {
        let retired = try keyFile().keys.compactMap { key in key.retiredAt.map { (name: key.kid, since: $0) } }
        guard !retired.isEmpty else { return ["no key is retired"] }
        try rules.checkDrop(retired)
        try checkSigners()
        try StackKeys.change(keyFile: list.path) { file in file.keys.removeAll { $0.retiredAt != nil } }
        return retired.map { "\($0.name) is trusted no more" } + ["Give every service this keys.json."]
    }

    /// - Throws: `CommandFailure` of kind conflict where a retired key still signs: the step `sign` was interrupted.
    private func checkSigners() throws {
        for name in Self.signers where KeyFiles.exists(current(name)) {
            for key in try keyFile().keys where key.retiredAt != nil {
                guard try isPublic(key, of: current(name)) else { continue }
                throw CommandFailure(.conflict, "\(key.kid) still signs by \(name).pem; run the step sign again")
            }
        }
    }

    private func current(_ name: String) -> URL { folder.appending(path: "\(name).pem") }

    private func next(_ name: String) -> URL { folder.appending(path: "\(name).next.pem") }

    private func keyFile() throws -> TokenKeyFile {
        do {
            return try TokenKeyFile(json: Data(try KeyFiles.text(of: list).utf8), at: list.path)
        } catch is DecodingError {
            throw CommandFailure(.usage, "\(list.path) is no key file")
        }
    }

    private func privateKey(_ url: URL) throws -> P256.Signing.PrivateKey {
        do {
            let pem = SigningKeyFile(try KeyFiles.text(of: url)).pem.trimmingCharacters(in: .newlines)
            return try P256.Signing.PrivateKey(pemRepresentation: pem)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            // The parser's error may quote the key.
            throw CommandFailure(.usage, "\(url.path) is no P-256 private key in PEM")
        }
    }

    /// Whether an entry is the public half of the private key in a file.
    private func isPublic(_ entry: TokenKeys.Entry, of url: URL) throws -> Bool {
        let own = try privateKey(url).publicKey.rawRepresentation
        // An entry that is no key is no half of one.
        let listed = try? P256.Signing.PublicKey(pemRepresentation: entry.publicKey)
        return listed?.rawRepresentation == own
    }

    /// `orders-3` after `orders-2`: an id that the list does not have.
    private func freeKid(after kid: String, in file: TokenKeyFile) -> String {
        let base = TokenKeys.series(of: kid)
        var number = (Int(kid.dropFirst(base.count + 1)) ?? 1) + 1
        while file.keys.contains(where: { $0.kid == "\(base)-\(number)" }) { number += 1 }
        return "\(base)-\(number)"
    }
}
