import ArgumentParser
import Testing

@testable import Doorstep

@Suite("Options that would have no effect")
struct RefusedOptionsTests {
    @Test(
        "A combination of which one option would be ignored is refused",
        arguments: [
            "order place --from 20:30 --in-minutes 10", "courier simulate --ride r.gpx --every 2",
            "courier simulate --ride r.gpx --speed 20", "courier simulate --ride r.gpx --seed 7",
            "courier simulate --delivery d --every inf",
            "eta train folder --model m --days 5", "eta train folder --model m --at-least 100",
            "track --emulated-phone p --device d", "track --emulated-phone p --once --until-ended",
            "order link d --yes", "courier link --courier mira --yes", "ops face nordhavn --yes",
        ])
    func combinations(line: String) {
        let arguments = line.split(separator: " ").map(String.init)
        #expect(throws: (any Error).self) { try DoorstepCommand.parseAsRoot(arguments) }
    }

    @Test(
        "Each of them has an effect without the other",
        arguments: [
            "order place --from 20:30", "order place --in-minutes 10", "courier simulate --ride r.gpx",
            "courier simulate --delivery d --every 2 --speed 20 --seed 7", "ops list --limit 5 --cursor c",
            "eta train folder --model m", "eta train --from-history --model m --days 5 --at-least 100",
            "track --emulated-phone p --beside --device d", "track --until-ended --device d",
        ])
    func alone(line: String) throws {
        _ = try DoorstepCommand.parseAsRoot(line.split(separator: " ").map(String.init))
    }

    @Test(
        "An empty filter, as of a variable that is not set, is refused",
        arguments: [
            ["ops", "reads", "--customer"], ["ops", "reads", "--by"], ["ops", "report", "--store"],
            ["ops", "log", "--reference"], ["ops", "log", "--courier"], ["ops", "list", "--store"],
            ["ops", "list", "--cursor"], ["ops", "top", "--courier"], ["order", "show"],
            ["ops", "dead-letters", "list", "--service", "orders", "--cursor"], ["sources", "received", "--delivery"],
        ])
    func empty(command: [String]) throws {
        for text in ["", " "] {
            #expect(throws: (any Error).self) { try DoorstepCommand.parseAsRoot(command + [text]) }
        }
        _ = try DoorstepCommand.parseAsRoot(command + ["mette"])
    }
}
