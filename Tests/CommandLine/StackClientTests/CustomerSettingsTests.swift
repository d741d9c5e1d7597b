import CommandOutput
import DomainTime
import Foundation
import StackClient
import Testing

@Suite("What a customer's command reads")
struct CustomerSettingsTests {
    private func settings(_ environment: [String: String]) -> CustomerSettings {
        CustomerSettings(tokenPath: "/nonexistent/token", environment: environment)
    }

    @Test("A missing or wrong address names its variable", arguments: ["", "not a url", "ftp://host", "http://"])
    func urls(text: String) {
        #expect { try settings(["DOORSTEP_ORDERS_URL": text]).url("DOORSTEP_ORDERS_URL") } throws: { error in
            let failure = error as? CommandFailure
            return failure?.kind == .usage && failure?.message.contains("DOORSTEP_ORDERS_URL") == true
        }
    }

    @Test("A token file that cannot be read is a question of being allowed")
    func token() {
        #expect { try settings([:]).token() } throws: { ($0 as? CommandFailure)?.kind == .notAllowed }
    }

    @Test(
        "A token's file that is empty or has more than a token in it is named, with its variable",
        arguments: [("", "empty"), (" \n", "empty"), ("one\ntwo\n", "more than"), ("Bearer one", "more than")])
    func tokenFiles(text: String, fault: String) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)").path
        defer { unlink(path) }
        try Data(text.utf8).write(to: URL(filePath: path))
        let variables = TokenHolder.allCases.map(\.variable)
        let environment = Dictionary(uniqueKeysWithValues: variables.map { ($0, path) })
        func failure(_ token: () throws -> String) -> CommandFailure? {
            do {
                _ = try token()
                return nil
            } catch {
                return error as? CommandFailure
            }
        }
        var failures = TokenHolder.allCases.map { holder in failure { try holder.token(environment: environment) } }
        failures.append(failure { try CustomerSettings(tokenPath: path, environment: [:]).token() })
        for (failure, variable) in zip(failures, variables + [TokenHolder.customer.variable]) {
            #expect(failure?.kind == .notAllowed)
            for words in [fault, path, variable] { #expect(failure?.message.contains(words) == true) }
        }
        try Data(" one \n".utf8).write(to: URL(filePath: path))
        #expect(try TokenHolder.store.token(environment: environment) == "one")
    }

    @Test("A variable that is set to nothing names no file")
    func emptyPath() throws {
        let variable = TokenHolder.store.variable
        #expect(TokenHolder.store.path(in: [variable: ""]) == nil)
        #expect(TokenHolder.store.path(in: [variable: "token"]) == "token")
        let failure = #expect(throws: CommandFailure.self) { try TokenHolder.store.token(environment: [variable: ""]) }
        #expect(failure?.message.contains("set \(variable) to its file") == true)
    }

    @Test("The clock is the stack's; a rate without an origin is a mistake")
    func clock() async throws {
        func clock(_ environment: [String: String]) async throws -> DomainClock {
            try await Stack(environment: environment).clock()
        }
        let origin = "2026-11-21T16:00:00Z"
        let whole = [
            "ENVIRONMENT": "demo", "CLOCK_ORIGIN": origin, "CLOCK_WALL_ORIGIN": origin, "CLOCK_RATE": "60",
        ]
        #expect(try await clock(whole).rate == 60)
        #expect(try await clock([:]).rate == 1)
        for wrong in [whole.filter { $0.key != "CLOCK_ORIGIN" }, whole.merging(["CLOCK_RATE": "-1"]) { $1 }] {
            await #expect(throws: CommandFailure.self) { _ = try await Stack(environment: wrong).clock() }
        }
    }
}
