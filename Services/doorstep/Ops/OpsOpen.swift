import ArgumentParser
import CommandOutput
import Foundation
import OrderDomain
import StackClient

/// Opens a delivery's page on the desk.
struct OpsOpen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open one delivery on the desk; print its address where there is no browser or display.")

    @Argument(help: DeliveryFinder.help)
    var delivery: String
    @ArgumentParser.Flag(help: "Print the address alone.")
    var print = false

    func run() async throws {
        let delivery = try await DeliveryFinder().find(delivery)
        let page = "\(try PeerClient(.desk, token: nil).address)/deliveries/\(delivery)"
        // The command prints the address where no browser is found, or no display for one.
        let program = try? BrowserProgram(environment: ProcessInfo.processInfo.environment) {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        guard let program, !print else { return writeLine(page.safeOnTerminal) }
        try program.show(page)
    }
}
