import ArrivalEstimate
import OrderDomain
import ProcessSettings
import ServiceRuntime
import Testing

@testable import CourierETA

@Suite("Road settings")
struct RoadSettingsTests {
    private func read(_ environment: [String: String]) async throws -> RoadSettings {
        try RoadSettings(
            reading: try await readSettings(service: "courier-eta", arguments: [], environment: environment))
    }

    @Test("Without a setting nobody is asked")
    func none() async throws {
        #expect(try await read([:]).engine == nil)
        #expect(try await read(["ROAD_ENGINE": "none"]).engine == nil)
    }

    @Test("OSRM may have an address for each way of moving; the profiles are its own unless they are set")
    func osrm() async throws {
        let settings = try await read([
            "ROAD_ENGINE": "osrm", "ROAD_URL": "http://127.0.0.1:5000/", "ROAD_CAR_URL": "https://cars.example/osrm",
            "ROAD_CAR_PROFILE": "driving", "ROAD_TIMEOUT_SECONDS": "0.3",
        ])
        let engine = try #require(settings.engine)
        #expect(engine.kind == .osrm && engine.timeout == .milliseconds(300))
        #expect(engine.endpoint(for: .bicycle) == .init(url: "http://127.0.0.1:5000", profile: "bike"))
        #expect(engine.endpoint(for: .cab) == .init(url: "https://cars.example/osrm", profile: "driving"))
    }

    @Test("Valhalla serves every way of moving at one address")
    func valhalla() async throws {
        let engine = try #require(
            try await read(["ROAD_ENGINE": "valhalla", "ROAD_URL": "http://valhalla:8002"]).engine)
        #expect(engine.timeout == .milliseconds(150))
        #expect(engine.endpoint(for: .bicycle).profile == "bicycle" && engine.endpoint(for: .car).profile == "auto")
    }

    static let wrongSettings: [([String: String], String)] = [
        (["ROAD_ENGINE": "google"], "road.engine is \"google\", not one of none, osrm, valhalla"),
        (["ROAD_ENGINE": "osrm"], "road.url is not set"),
        (["ROAD_URL": "http://127.0.0.1:5000"], "road.url is set, but no engine is chosen"),
        (["ROAD_ENGINE": "osrm", "ROAD_URL": "127.0.0.1:5000"], "road.url is not an address"),
        (["ROAD_ENGINE": "osrm", "ROAD_URL": "http://me:secret@osrm"], "road.url is not an address"),
        (["ROAD_ENGINE": "osrm", "ROAD_URL": "http://o", "ROAD_CAR_URL": "ftp://o"], "road.car.url is not an address"),
        (
            ["ROAD_ENGINE": "osrm", "ROAD_URL": "http://o", "ROAD_BICYCLE_PROFILE": "a/../b"],
            "road.bicycle.profile is \"a/../b\""
        ),
        (
            ["ROAD_ENGINE": "osrm", "ROAD_URL": "http://o", "ROAD_TIMEOUT_SECONDS": "9"],
            "road.timeout.seconds is \"9\", not a number of seconds"
        ),
    ]

    @Test(
        "A wrong setting stops the start with a line that names it, and holds no secret",
        arguments: RoadSettingsTests.wrongSettings)
    func wrong(environment: [String: String], line: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) { try await read(environment) }
        let description = try #require(error).description
        #expect(
            description.hasPrefix(line) && !description.contains("\n") && !description.contains("secret"),
            "\(description)")
    }
}
