import ArgumentParser
import Foundation
import NIOHTTP1
import ScriptedPeers
import StackClient
import TestSupport
import Testing

@testable import Doorstep

@Suite("Whose token a command sends", .timeLimit(.minutes(5)))
struct TokenVariablesTests {
    private static let note =
        "this is what the store's token sees; DOORSTEP_STORE_TOKEN_FILE= before the command uses the operator's"

    @Test("A variable that is set to nothing names no token of the shop or of an operator")
    func empty() throws {
        let (shop, staff) = (TokenHolder.store.variable, TokenHolder.operator.variable)
        #expect(PartnersCaller(environment: [shop: "", staff: "file"]).holder == .operator)
        #expect(PartnersCaller(environment: [shop: "file", staff: ""]).holder == .store)
        let whose = try CourierPhones.parse(["--courier", "mira"]).whose
        #expect(whose.holder(environment: [staff: ""]) == .courier)
        #expect(whose.holder(environment: [staff: "file"]) == .operator)
    }

    @Test("A store's token is sent where an operator's is set too, and only then the view is noted as the store's")
    func view() {
        let (shop, staff) = (TokenHolder.store.variable, TokenHolder.operator.variable)
        let both = PartnersCaller(environment: [shop: "store", staff: "operator"])
        #expect(both.holder == .store && both.viewNote == Self.note)
        for environment in [
            [shop: "", staff: "operator"], [shop: "store", staff: ""], [shop: "store"], [staff: "operator"],
            [shop: "operator", staff: "operator"],
        ] {
            #expect(PartnersCaller(environment: environment).viewNote == nil, "\(environment)")
        }
    }

    /// Runs a command with an operator's token beside another token of a store, or beside an empty variable for it.
    private func run(
        _ line: String, isStoreSet: Bool, answering status: Int, _ body: String
    ) async throws -> (exit: ChildProcess.Exit, output: String) {
        let token = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: token) }  // A temporary file that is left is harmless.
        try Data("store\n".utf8).write(to: token)
        let partners = try await ScriptedHTTPServer.start { _ in .answer(status, body: body) }
        let ended = try await runCommand(
            line.split(separator: " ").map(String.init), over: partners,
            environment: [TokenHolder.store.variable: isStoreSet ? token.path : ""])
        try await partners.stop()
        return ended
    }

    @Test(
        "A list of one store's webhooks, sources or events says so where an operator's token is set too",
        arguments: ["webhooks list", "sources list", "sources received"], [true, false])
    func lists(line: String, isStoreSet: Bool) async throws {
        let body = #"{"endpoints":[],"sources":[],"receipts":[]}"#
        let (exit, output) = try await run("\(line) --json", isStoreSet: isStoreSet, answering: 200, body)
        #expect(exit == .code(0) && output == (isStoreSet ? "doorstep: \(Self.note)\n" : ""), "\(output)")
    }

    @Test(
        "What a store's token does not find names the operator's",
        arguments: [
            "webhooks show e-1 --json", "webhooks rotate e-1 --json", "webhooks log e-1 --json",
            "webhooks remove e-1 --yes", "webhooks replay e-1 --event v-1",
            "webhooks trigger delivery.en_route --endpoint e-1", "sources show velo --json",
            "sources rotate velo --json", "sources remove velo --yes", "sources remove-secret velo s-1 --yes",
            "sources event r-1 --json", "sources dismiss r-1 --reason old --yes",
        ], [true, false])
    func notFound(line: String, isStoreSet: Bool) async throws {
        let body = #"{"type":"about:blank","title":"Not found","status":404,"detail":"there is none"}"#
        let (exit, output) = try await run(line, isStoreSet: isStoreSet, answering: 404, body)
        #expect(exit == .code(3) && output.contains(Self.note) == isStoreSet, "\(output)")
    }
}
