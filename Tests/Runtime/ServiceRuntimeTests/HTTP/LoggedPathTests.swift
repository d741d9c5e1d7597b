import Testing

@testable import ServiceRuntime

@Suite("Paths in logs")
struct LoggedPathTests {
    private static let phoneToken = "dp0123456789abcdefghjkmnpqrs"
    private static let link = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"
    private static let uuid = "019a3c4e-5a6b-7c8d-9e0f-112233445566"

    @Test(
        "What has the form of an id is logged, and all that may be a secret in its place is not",
        arguments: [
            ("mira", "mira"), ("doordash-7", "doordash-7"), ("6b01a0e0-00000001", "6b01a0e0-00000001"),
            (uuid, uuid), ("\(uuid)-2", "\(uuid)-2"), ("cli-\(uuid)", "cli-\(uuid)"),
            ("msg_2YxQ7cTn4LwB0pVd", "msg_2YxQ7cTn4LwB0pVd"), ("1795284312", "1795284312"),
            (phoneToken, "…"), (phoneToken.uppercased(), "…"), (link, "…"), ("eyJhbGciOiJFUzI1NiJ9.e30.c2ln", "…"),
            ("mira%2F..", "…"), ("a@b.example", "…"), (String(repeating: "a", count: 25), "…"),
        ])
    func ids(segment: String, logged: String) {
        #expect(loggedPath("/v1/couriers/\(segment)", of: "/v1/couriers/{id}") == "/v1/couriers/\(logged)")
        #expect(
            loggedPath("/v1/deliveries/\(segment)/timeline", of: "/v1/deliveries/{id}/timeline")
                == "/v1/deliveries/\(logged)/timeline")
    }

    @Test("The parts of a route's own are logged whatever they look like, and nothing of routes that carry secrets")
    func routes() {
        let route = "/v1/courier-positions-of-everybody-at-once"
        #expect(loggedPath(route, of: route) == route)
        for (path, route) in [("/l/x", "/l/{link}"), ("/c/x/presses", "/c/{link}/presses"), ("/open/x", "/open/{key}")]
        {
            let logged = loggedPath(path, of: route)
            #expect(logged.hasSuffix("/…") && !logged.contains("x"))
        }
        #expect(loggedPath("/assets/tiles/16/35060/20501", of: "/assets/tiles/{z}/{x}/{y}") == "/assets/tiles/…")
        #expect(loggedPath("/v1/x", of: "unmatched") == "/…")
        #expect(
            loggedPath("/v1/customers/mette/erase", of: "/v1/customers/{customer}/erase") == "/v1/customers/…/erase")
        #expect(loggedPath("/v1/activities/summary-mette-1", of: "/v1/activities/{id}") == "/v1/activities/…")
    }
}
