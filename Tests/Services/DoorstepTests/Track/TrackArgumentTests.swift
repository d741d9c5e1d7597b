import ArgumentParser
import Testing

@testable import Doorstep

@Suite("Arguments of track")
struct TrackArgumentTests {
    @Test(
        "A device has a name that the server takes",
        arguments: ["cli-1", "Mira_s-phone", String(repeating: "a", count: 64)])
    func names(_ name: String) throws {
        #expect(try Track.parse(["--device", name]).device == name)
    }

    @Test(
        "A device's name that the server knows nothing by is refused at once",
        arguments: ["", "my.phone", "a b", "telefonå", "../x", String(repeating: "a", count: 65)])
    func wrongNames(_ name: String) {
        #expect(throws: (any Error).self) { try Track.parse(["--device", name]) }
    }
}
