import ArgumentParser
import CommandOutput
import Foundation
import ProcessSettings
import ServiceRuntime
import Synchronization
import Testing

@testable import DoorstepAdmin

@Suite("Rotating a stack's keys")
final class KeyRotationTests: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "doorstep-rotation-\(UUID().uuidString)")
    static let now = Date(timeIntervalSince1970: 1_795_280_400)

    init() throws { _ = try StackKeys.generate().write(to: folder) }

    deinit { try? FileManager.default.removeItem(at: folder) }  // A temporary folder that is left is harmless.

    private func file(_ name: String) -> URL { folder.appending(path: name) }

    /// - Parameter restart: hours after which the last process was restarted; nil where nobody says.
    private func rules(after hours: Double = 0, isAtOnce: Bool = false, restart: Double? = 0) -> KeyRotation {
        KeyRotation(
            longestLifetime: 24 * 3_600, now: Self.now.addingTimeInterval(hours * 3_600), isAtOnce: isAtOnce,
            restartedAt: restart.map { Self.now.addingTimeInterval($0 * 3_600) })
    }

    @discardableResult
    private func tokens(
        _ step: KeyRotation.Step, after hours: Double = 0, restart: Double? = 0
    ) throws -> [String] {
        try TokenKeyRotation(folder: folder, rules: rules(after: hours, restart: restart)).make(step)
    }

    private func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file(name).path)[.posixPermissions] as? Int
    }

    private func kids() throws -> [String] {
        try TokenKeyFile(json: Data(contentsOf: file("keys.json"))).keys.map(\.kid)
    }

    /// A token that the file signs now, as a process that has just started would.
    private func token(by name: String, _ kid: String, _ role: Role) async throws -> String {
        let signer = try await TokenSigner(kid: kid, file: file("\(name).pem").path)
        return try await signer.sign(
            Identity(subject: "ada", role: role, expiresAt: Self.now.addingTimeInterval(3_600)), at: Self.now)
    }

    /// The clients of a stack whose keys are rotated.
    private final class Load: Sendable {
        /// Tokens of every signer so far, of which none has expired.
        let held = Mutex<[String]>([])
        let verified = Atomic(0)
        let isOver = Atomic(false)
    }

    @Test("The next step is printed with the options that the person gave, as a shell takes them")
    func next() throws {
        var given = rules()
        given.options = try AdminKeysRotate.parse(
            ["add", "--tokens", "--directory", "/my keys", "--longest-hours", "24"]
        ).givenOptions
        let rotation = TokenKeyRotation(folder: folder, rules: given)
        let options = "--directory '/my keys' --longest-hours 24.0"
        #expect(
            try rotation.make(.add).last
                == "a minute. Then: doorstep admin keys rotate --tokens sign \(options)")
        #expect(
            try rotation.make(.sign).last
                == "has expired: doorstep admin keys rotate --tokens drop \(options) --restarted TIME")
        #expect(given.command("--links", .add) == "doorstep admin keys rotate --links add \(options)")
        #expect(
            try AdminKeysRotate.parse(["add", "--links", "--directory", "/keys"]).givenOptions == [
                "--directory", "/keys",
            ])
    }

    @Test("Each step may be repeated, kids are unique, and files keep their permissions")
    func steps() async throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: file("orders.pem").path)

        #expect(try tokens(.sign).first?.hasPrefix("no key waits") == true)
        #expect(try tokens(.drop) == ["no key is retired"])
        for _ in 0..<2 {
            try tokens(.add)
            #expect(
                try kids() == ["doorstep-admin", "orders", "desk", "doorstep-admin-2", "orders-2", "desk-2"])
        }
        for _ in 0..<2 { try tokens(.sign) }
        #expect(try mode(of: "orders.pem") == 0o444 && mode(of: "admin.pem") == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.contains("next") || $0.contains("draft") }, "\(names)")

        let early = #expect(throws: CommandFailure.self) { try tokens(.drop, after: 23) }
        #expect(early?.kind == .conflict && early?.message.contains("may be valid until") == true)
        #expect(try kids().count == 6)
        for _ in 0..<2 { try tokens(.drop, after: 25) }
        #expect(try kids() == ["doorstep-admin-2", "orders-2", "desk-2"])

        try tokens(.add)
        #expect(try kids().suffix(3) == ["doorstep-admin-3", "orders-3", "desk-3"])
    }

    @Test("A former key signs until the last restart, so that what it signed counts from then on")
    func restarted() throws {
        try tokens(.add)
        try tokens(.sign)
        for restart in [nil, -1, 5, 40] as [Double?] {
            let refusal = #expect(throws: CommandFailure.self) { try tokens(.drop, after: 28, restart: restart) }
            #expect(refusal?.kind == .conflict)
        }
        #expect(try kids().count == 6)
        try tokens(.drop, after: 30, restart: 5)
        #expect(try kids().count == 3)
    }

    @Test("A key file that a power cut has cut is read from its copy, and is whole after the next change")
    func powerCut() async throws {
        let path = file("keys.json").path
        let content = try Data(contentsOf: file("keys.json"))
        try content.write(to: URL(filePath: TokenKeyFile.copy(of: path)))
        try content.prefix(content.count / 2).write(to: file("keys.json"))
        #expect(try await TokenKeys(file: path).kids == ["desk", "doorstep-admin", "orders"])
        try tokens(.add)
        #expect(try kids().count == 6)
        #expect(!FileManager.default.fileExists(atPath: TokenKeyFile.copy(of: path)))
        try content.prefix(content.count / 2).write(to: file("keys.json"))
        await #expect(throws: ConfigurationError.self, "no copy stays behind that is old by then") {
            try await TokenKeys(file: path)
        }
    }

    @Test("A disclosed key is dropped at once, where that is said")
    func atOnce() throws {
        try tokens(.add)
        try tokens(.sign)
        _ = try TokenKeyRotation(folder: folder, rules: rules(isAtOnce: true)).make(.drop)
        #expect(try kids() == ["doorstep-admin-2", "orders-2", "desk-2"])
    }

    @Test("A key that still signs, since the step sign was interrupted, is not dropped")
    func interruptedSign() throws {
        try tokens(.add)
        // What is on the disk between the two writes of the step.
        try StackKeys.change(keyFile: file("keys.json").path) { keys in
            for index in keys.keys.indices where keys.keys[index].kid == "orders" {
                keys.keys[index].retiredAt = Self.now
            }
        }

        let refusal = #expect(throws: CommandFailure.self) { try tokens(.drop, after: 25) }
        #expect(refusal?.kind == .conflict && refusal?.message.contains("orders.pem") == true)
        #expect(try kids().contains("orders"))

        try tokens(.sign, after: 25)
        try tokens(.drop, after: 50, restart: 25)
        #expect(try kids() == ["doorstep-admin-2", "orders-2", "desk-2"])
    }

    @Test("The command signs with the key that a rotation wrote, under its id")
    func signing() async throws {
        let environment = ["DOORSTEP_TOKEN_KEY_FILE": file("admin.pem").path]
        #expect(try await TokenSigner.ofStack(environment: environment).kid == "doorstep-admin")
        try tokens(.add)
        #expect(try await TokenSigner.ofStack(environment: environment).kid == "doorstep-admin")
        try tokens(.sign)
        #expect(try await TokenSigner.ofStack(environment: environment).kid == "doorstep-admin-2")
    }

    @Test("Under load every token is accepted, whichever key signed it and before or after whichever step")
    func load() async throws {
        let path = file("keys.json").path
        let verifier = TokenVerifier(try await TokenKeys(file: path)) { try await TokenKeys(file: path) }
        let load = Load()
        func sign() async throws {
            let signed = [
                try await token(by: "admin", "doorstep-admin", .store),
                try await token(by: "orders", "orders", .customer),
                try await token(by: "desk", "desk", .operator),
            ]
            load.held.withLock { $0 += signed }
        }
        try await sign()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var rounds = 0
                    while !load.isOver.load(ordering: .relaxed) || rounds == 0 {
                        for token in load.held.withLock({ $0 }) {
                            _ = try await verifier.identity(of: token, at: KeyRotationTests.now)
                            load.verified.wrappingAdd(1, ordering: .relaxed)
                        }
                        rounds += 1
                        await Task.yield()
                    }
                }
            }
            for step in [KeyRotation.Step.add, .sign] {
                // Every service reads the file again after a step, before anything is signed by a new start.
                try tokens(step)
                try await verifier.reload()
                try await sign()
            }
            load.isOver.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        #expect(load.verified.load(ordering: .relaxed) > 0)

        // When the former keys are dropped, what they signed has expired; what the present ones signed has not.
        let present = load.held.withLock { Array($0.suffix(3)) }
        try tokens(.drop, after: 25)
        try await verifier.reload()
        for token in present { _ = try await verifier.identity(of: token, at: Self.now) }
        await #expect(throws: TokenError.unknownKey) {
            try await verifier.identity(of: load.held.withLock { $0[0] }, at: Self.now)
        }
    }

    @Test(
        "A key of links, kept secrets or PINs is known before it signs, and the former one after",
        arguments: [NumberedKeyRotation.Kind.links, .secrets, .pins])
    func numbered(kind: NumberedKeyRotation.Kind) throws {
        func make(_ step: KeyRotation.Step, after hours: Double = 0) throws -> NumberedKeys {
            _ = try NumberedKeyRotation(kind: kind, folder: folder, rules: rules(after: hours)).make(step)
            let text = try String(contentsOf: file(kind.fileName), encoding: .utf8)
            return try #require(NumberedKeys(text: text))
        }
        for _ in 0..<2 {
            let added = try make(.add)
            #expect(added.signing == 1 && added.bytes.keys.sorted() == [1, 2])
        }
        for _ in 0..<2 {
            let signing = try make(.sign)
            #expect(signing.signing == 2 && signing.bytes.keys.sorted() == [1, 2])
        }
        #expect(throws: CommandFailure.self) { try make(.drop, after: 23) }
        for _ in 0..<2 { #expect(try make(.drop, after: 25).bytes.keys.sorted() == [2]) }
        #expect(try mode(of: kind.fileName) == 0o600)
        #expect(try make(.add).bytes.keys.sorted() == [2, 3])
    }
}
