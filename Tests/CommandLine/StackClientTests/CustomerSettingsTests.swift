import CommandOutput
import DomainTime
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
