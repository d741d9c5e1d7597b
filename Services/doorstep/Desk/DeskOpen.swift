import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import StackClient

/// Prints a link that signs in at the desk once.
struct DeskOpen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Print a link that signs you in at the desk once, within a minute.")

    @ArgumentParser.Flag(help: "Open the link in a browser on this machine instead.")
    var browser = false

    func run() async throws {
        let desk = try PeerClient(.desk, as: .operator)
        let link = try await desk.send(
            .POST, "/v1/sign-in-links", body: NoBody?.none, as: SignInLinkBody.self
        ).body
        // The command prints the link where no browser is found, or no display for one.
        let program = try? BrowserProgram(environment: ProcessInfo.processInfo.environment) {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        guard let program, browser else { return writeLine(link.url.safeOnTerminal) }
        try program.show(link.url)
    }
}
