import ArgumentParser
import CommandOutput
import PhoneRules
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

    @Test("A given phone replaces the saved one, and without one it is as in the last run")
    func phone() throws {
        let saved = DeviceState(phone: Phone(permission: .switchedOff), lastSequence: "7")
        let plain = try Track.parse(["--phone", "plain"]).state(after: saved)
        #expect(!plain.phone.hasIsland && plain.phone.permission == .switchedOff && plain.lastSequence == "7")
        #expect(try !Track.parse([]).state(after: plain).phone.hasIsland)
        #expect(try Track.parse(["--phone", "island"]).state(after: plain).phone.hasIsland)
        #expect(try Track.parse([]).state(after: nil).phone.hasIsland)
    }

    @Test(
        "A saved phone without an island refuses a presentation in one",
        arguments: [["--presentation", "compact"], ["--beside-another-app"]])
    func noIsland(flags: [String]) throws {
        let plain = DeviceState(phone: Phone(hasIsland: false))
        #expect(throws: CommandFailure.self) { try Track.parse(flags).state(after: plain) }
        #expect(try Track.parse(flags + ["--phone", "island"]).state(after: plain).phone.hasIsland)
    }

    @Test("Another app's activity is of one run")
    func otherApp() throws {
        let beside = try Track.parse(["--beside-another-app"]).state(after: nil)
        #expect(beside.phone.otherApps == [.longBefore])
        #expect(try Track.parse([]).state(after: beside).phone.otherApps.isEmpty)
    }
}
