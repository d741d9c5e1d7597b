import Testing

@testable import DoorstepAdmin

@Suite("Public origins of a stack")
struct PublicOriginsTests {
    private static let reachable = [
        "LINKS_ORIGIN": "https://go.nordhavn.example", "COURIERS_ORIGIN": "https://couriers.nordhavn.example",
        "DESK_ORIGIN": "https://desk.nordhavn.example", "PARTNERS_ORIGIN": "https://partners.nordhavn.example",
    ]

    @Test(
        "Those that everybody reaches are well, in every environment",
        arguments: [nil, "", "production", "demo"] as [String?])
    func well(environment: String?) {
        var settings = Self.reachable
        settings["ENVIRONMENT"] = environment
        #expect(PublicOrigins(environment: settings).finding?.isWrong == false)
    }

    @Test(
        "One that only this machine reaches is refused in production, by its variable, and well in a demo",
        arguments: [
            "http://127.0.0.1:8081", "http://localhost:8081", "https://go.localhost", "http://[::1]:8081",
            "http://127.1.2.3", "http://0.0.0.0:8081",
        ])
    func loopback(origin: String) throws {
        var settings = Self.reachable
        settings["LINKS_ORIGIN"] = origin
        for environment in [nil, "", "production"] as [String?] {
            settings["ENVIRONMENT"] = environment
            let finding = try #require(PublicOrigins(environment: settings).finding)
            #expect(finding.fix?.hasPrefix("set DOORSTEP_LINKS_ORIGIN in .env") == true)
            #expect(finding.state.hasPrefix("LINKS_ORIGIN is \(origin), which only this machine reaches"))
        }
        for environment in ["demo", "test"] {
            settings["ENVIRONMENT"] = environment
            #expect(PublicOrigins(environment: settings).finding?.isWrong == false)
        }
    }

    @Test("Without any setting of one there is nothing to find")
    func absent() {
        #expect(PublicOrigins(environment: ["LINKS_ORIGIN": "", "PATH": "/bin"]).finding == nil)
    }
}
