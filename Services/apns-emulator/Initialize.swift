import ArgumentParser
import Foundation

/// `apns-emulator init`: makes the test CA, the server's certificate and the provider's key.
struct Initialize: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a test CA, a server certificate and a provider key.",
        discussion: "Keeps existing files. Prints the environment variables of activity-dispatch.")

    @Option(help: "The directory of the files.")
    var directory: String

    @Option(parsing: .upToNextOption, help: "Host names and addresses of the server certificate.")
    var names: [String] = ["localhost", "127.0.0.1", "::1"]

    @Option(help: "The provider key's id, ten characters.")
    var keyID = "EMULATORK1"

    @Option(help: "The team's id, ten characters.")
    var teamID = "EMULATORT1"

    func run() throws {
        let files = EmulatorFiles(directory: URL(filePath: directory, directoryHint: .isDirectory))
        try files.make(names: names, keyID: keyID, teamID: teamID)
        for line in try files.lines(host: names.first ?? "localhost", ports: nil) { print(line) }
    }
}
