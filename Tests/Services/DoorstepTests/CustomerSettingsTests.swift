import DomainTime
import Foundation
import PhoneRules
import Testing

@testable import Doorstep

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

    @Test(
        "Each answer of a service has its exit code",
        arguments: [
            (200, nil), (401, .notAllowed), (403, .notAllowed), (404, .notFound), (409, .conflict), (412, .conflict),
            (422, .conflict), (429, .unavailable), (500, .unavailable), (503, .unavailable),
        ] as [(Int, CommandFailure.Kind?)])
    func exitCodes(status: Int, kind: CommandFailure.Kind?) {
        #expect(CommandFailure.kind(ofStatus: status) == kind)
    }

    @Test("A device keeps its name and its phone between runs, and forgets a phone from a clock that was set back")
    func state() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorstep-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DeviceStateStore(environment: ["XDG_STATE_HOME": folder.path()])
        let device = try store.device(makeID: { "one" })
        #expect(device == "cli-one")
        #expect(try store.device(makeID: { "two" }) == "cli-one")

        let server = "http://127.0.0.1:8083"
        #expect(store.load(device: device, server: server, now: 1000) == nil)
        try store.save(DeviceState(phone: Phone(now: 1000), lastSequence: "7"), device: device, server: server)
        #expect(store.load(device: device, server: server, now: 1000)?.lastSequence == "7")
        #expect(store.load(device: device, server: "http://other", now: 1000) == nil)
        #expect(store.load(device: device, server: server, now: 1000 - 301) == nil)
    }
}
