import ArgumentParser
import CommandOutput
import Crypto
import Foundation
import ProcessSettings
import ServiceRuntime
import Testing

@testable import DoorstepAdmin

@Suite("A stack's keys")
final class StackKeysTests: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "doorstep-keys-\(UUID().uuidString)")
    static let now = Date(timeIntervalSince1970: 1_795_280_400)

    deinit { try? FileManager.default.removeItem(at: folder) }  // A temporary folder that is left is harmless.

    func identity(_ role: Role) -> Identity {
        Identity(
            subject: "ada", role: role, store: "nordhavn", issuedAt: Self.now,
            expiresAt: Self.now.addingTimeInterval(3600))
    }

    @Test("The admin's key signs for every role, and the services' list verifies it", arguments: Role.allCases)
    func admin(role: Role) async throws {
        _ = try StackKeys.generate().write(to: folder)
        let signer = try await TokenSigner.ofStack(
            environment: ["DOORSTEP_TOKEN_KEY_FILE": folder.appending(path: "admin.pem").path])
        let keys = try await TokenKeys(file: folder.appending(path: "keys.json").path)
        let verified = try await keys.verify(try await signer.sign(identity(role), at: Self.now), at: Self.now)
        var expected = identity(role)
        expected.keyID = verified.keyID
        #expect(verified == expected)
        #expect(keys.kids.contains(try #require(verified.keyID)))
    }

    @Test("The key of orders signs for customers and for nobody else")
    func orders() async throws {
        _ = try StackKeys.generate().write(to: folder)
        let signer = try await TokenSigner(
            kid: StackKeys.ordersKid, file: folder.appending(path: "orders.pem").path)
        let keys = try await TokenKeys(file: folder.appending(path: "keys.json").path)
        let customer = try await signer.sign(identity(.customer), at: Self.now)
        #expect(try await keys.verify(customer, at: Self.now).role == .customer)
        let forged = try await signer.sign(identity(.operator), at: Self.now)
        await #expect(throws: TokenError.roleNotAllowed) { try await keys.verify(forged, at: Self.now) }
    }

    @Test("The key of the desk signs for operators and for nobody else")
    func desk() async throws {
        _ = try StackKeys.generate().write(to: folder)
        let signer = try await TokenSigner(kid: StackKeys.deskKid, file: folder.appending(path: "desk.pem").path)
        let keys = try await TokenKeys(file: folder.appending(path: "keys.json").path)
        let ada = try await signer.sign(identity(.operator), at: Self.now)
        #expect(try await keys.verify(ada, at: Self.now).role == .operator)
        let forged = try await signer.sign(identity(.customer), at: Self.now)
        await #expect(throws: TokenError.roleNotAllowed) { try await keys.verify(forged, at: Self.now) }
    }

    @Test("The desk's key is made beside others' too, whose list it joins, and never replaced")
    func laterDesk() async throws {
        _ = try StackKeys.generate().write(to: folder)
        let list = folder.appending(path: "keys.json")
        var file = try TokenKeyFile(json: Data(contentsOf: list))
        file.keys.removeAll { $0.kid == StackKeys.deskKid }
        try file.json().write(to: list)
        #expect(throws: CommandFailure.self) { try StackKeys.generate().write(only: [.desk], to: folder) }
        let key = folder.appending(path: "desk.pem")
        try FileManager.default.removeItem(at: key)
        #expect(try StackKeys.generate().write(only: [.desk], to: folder) == [key.path, list.path])
        let keys = try await TokenKeys(file: list.path)
        #expect(keys.kids.count == 3)
        let signer = try await TokenSigner(kid: StackKeys.deskKid, file: key.path)
        let token = try await signer.sign(identity(.operator), at: Self.now)
        #expect(try await keys.verify(token, at: Self.now).role == .operator)
        #expect(throws: CommandFailure.self) { try StackKeys.generate().write(only: [.desk], to: folder) }
    }

    @Test("The key for alerts to browsers is made beside others' too, and never replaced")
    func webPush() throws {
        _ = try StackKeys.generate().write(to: folder)
        let file = folder.appending(path: "web-push.pem")
        _ = try P256.Signing.PrivateKey(pemRepresentation: String(contentsOf: file, encoding: .utf8))
        let refused = #expect(throws: CommandFailure.self) {
            try StackKeys.generate().write(only: [.webPush], to: folder)
        }
        #expect(refused?.message == "\(file.path) is there already, and keys are never replaced")
        try FileManager.default.removeItem(at: file)
        #expect(try StackKeys.generate().write(only: [.webPush], to: folder) == [file.path])
    }

    @Test("The key for kept secrets is made beside others' too, and never replaced")
    func secretKeys() throws {
        _ = try StackKeys.generate().write(to: folder)
        let file = folder.appending(path: "secret-keys")
        let first = try String(contentsOf: file, encoding: .utf8)
        #expect(throws: CommandFailure.self) { try StackKeys.generate().write(only: [.secrets], to: folder) }
        #expect(try String(contentsOf: file, encoding: .utf8) == first)
        try FileManager.default.removeItem(at: file)
        let keys = StackKeys.generate()
        #expect(try keys.write(only: [.secrets], to: folder) == [file.path])
        #expect(try String(contentsOf: file, encoding: .utf8) == keys.secretKeys)
    }

    @Test("Each of the keys that are named is made, and none where one of them is there")
    func severalAlone() throws {
        let given = try AdminKeysMake.parse([
            "--directory", folder.path, "--only-web-push", "--only-pin-keys", "--only-erasure-keys",
        ])
        #expect(given.parts == [.webPush, .pins, .erasures])
        #expect(try AdminKeysMake.parse(["--directory", folder.path]).parts.isEmpty)
        let names = ["web-push.pem", "pin-keys", "erasure-keys"]
        let paths = try StackKeys.generate().write(only: given.parts, to: folder)
        #expect(paths == names.map { folder.appending(path: $0).path })
        try FileManager.default.removeItem(atPath: paths[0])
        #expect(throws: CommandFailure.self) { try StackKeys.generate().write(only: given.parts, to: folder) }
        #expect(!FileManager.default.fileExists(atPath: paths[0]))
    }

    @Test("A revocation names a token or a bearer", arguments: ["", " "])
    func emptyRevocation(text: String) throws {
        #expect(throws: (any Error).self) { try AdminTokenRevoke.parse(["--keys", "k", "--token-id", text]) }
        #expect(throws: (any Error).self) {
            try AdminTokenRevoke.parse(["--keys", "k", "--role", "courier", "--subject", text])
        }
        #expect(try AdminTokenRevoke.parse(["--keys", "k", "--token-id", "t-1"]).tokenID == "t-1")
    }

    @Test("Every file is its owner's alone, and none is ever replaced")
    func files() throws {
        let paths = try StackKeys.generate().write(to: folder)
        #expect(paths.count == 9)
        for path in paths {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let before = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
        try FileManager.default.removeItem(atPath: paths[0])
        let failure = #expect(throws: CommandFailure.self) { try StackKeys.generate().write(to: folder) }
        #expect(failure?.kind == .conflict)
        #expect(failure?.message.hasSuffix(": name another folder, or what is missing by an option --only-…") == true)
        #expect(!FileManager.default.fileExists(atPath: paths[0]), "nothing is written where not all can be")
        #expect(
            try paths.dropFirst().map { try String(contentsOfFile: $0, encoding: .utf8) } == Array(before.dropFirst()))
    }

    @Test("A revoked token, and all of a bearer's of before, are refused by services that have read the key file again")
    func revoked() async throws {
        _ = try StackKeys.generate().write(to: folder)
        let path = folder.appending(path: "keys.json").path
        let signer = try await TokenSigner.ofStack(
            environment: ["DOORSTEP_TOKEN_KEY_FILE": folder.appending(path: "admin.pem").path])
        let verifier = TokenVerifier(try await TokenKeys(file: path)) { try await TokenKeys(file: path) }
        func token(_ subject: String, id: String, at time: Date = StackKeysTests.now) async throws -> String {
            try await signer.sign(
                Identity(
                    subject: subject, role: .courier, tokenID: id, expiresAt: Self.now.addingTimeInterval(3600)),
                at: time)
        }
        let tokens = [try await token("mira", id: "one"), try await token("mira", id: "two")]
        var identities: [Identity] = []
        for token in tokens { identities.append(try await verifier.identity(of: token, at: Self.now)) }

        try await StackKeys.revoke(.token(id: "one"), in: path)
        try await verifier.reload()
        await #expect(throws: TokenError.revoked) { try await verifier.identity(of: tokens[0], at: Self.now) }
        _ = try await verifier.identity(of: tokens[1], at: Self.now)
        #expect(identities.map { verifier.isRevoked($0) } == [true, false])

        let later = Self.now.addingTimeInterval(60)
        try await StackKeys.revoke(.issued(to: "mira", role: .courier, before: later), in: path)
        try await verifier.reload()
        await #expect(throws: TokenError.revoked) { try await verifier.identity(of: tokens[1], at: Self.now) }
        _ = try await verifier.identity(of: try await token("noah", id: "three"), at: later)
        _ = try await verifier.identity(of: try await token("mira", id: "four", at: later), at: later)

        try Data("{".utf8).write(to: URL(filePath: path))
        await #expect(throws: ConfigurationError.self) { try await verifier.reload() }
        await #expect(throws: TokenError.revoked) { try await verifier.identity(of: tokens[1], at: Self.now) }
    }

    @Test("Revocations at the same time are all in the key file")
    func revokedAtOnce() async throws {
        _ = try StackKeys.generate().write(to: folder)
        let path = folder.appending(path: "keys.json").path
        let ids = (0..<32).map { "token-\($0)" }
        let (results, done) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
        // Threads of their own, as processes would be: one that waits for the file blocks no task.
        for id in ids {
            Thread.detachNewThread {
                done.yield(Result { try StackKeys.change(keyFile: path) { $0.revoke(.token(id: id)) } })
            }
        }
        for await result in results.prefix(ids.count) { #expect(throws: Never.self) { try result.get() } }
        let file = try TokenKeyFile(json: Data(contentsOf: URL(filePath: path)))
        #expect(file.revoked.count == ids.count)
        #expect(Set(file.revoked) == Set(ids.map { TokenRevocation.token(id: $0) }))
    }

    @Test("The keys for links and for kept secrets are each one line of an id and 32 bytes of their own")
    func lines() {
        let all = [StackKeys.generate(), .generate()].flatMap { [$0.linkKeys, $0.secretKeys, $0.pinKeys] }
        for line in all { #expect(line.wholeMatch(of: /1:[0-9a-f]{64}\n/) != nil) }
        #expect(Set(all).count == all.count)
    }

    @Test("Without a key to sign with it says which variable")
    func missing() async {
        let failure = await #expect(throws: CommandFailure.self) { try await TokenSigner.ofStack(environment: [:]) }
        #expect(failure?.kind == .notAllowed)
        #expect(failure?.message.contains("DOORSTEP_TOKEN_KEY_FILE") == true)
    }
}
