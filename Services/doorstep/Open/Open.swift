import ArgumentParser
import CommandOutput
import Foundation
import StackClient

/// Shows what a link does, asks, and does it.
struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open a card's link: show what it does, then do it.",
        discussion: "Off a terminal nothing is done without --yes, so that looking at a link never presses it.")

    @Argument(help: "The link, as the card has it.")
    var link: String

    @OptionGroup var customer: CustomerOptions

    @Flag(help: "Do it without asking.")
    var yes = false

    @Flag(help: "Say the answer as JSON.")
    var json = false

    func run() async throws {
        let settings = try customer.settings()
        try await APIClient.with { client in
            try await open(with: LinkClient(client: APIClient(client), settings: settings))
        }
    }

    private func open(with links: LinkClient) async throws {
        let shown = try await links.show(link)
        if !shown.isAction || !shown.isPressable {
            printAnswer(shown)
            if shown.isAction { throw CommandFailure(.conflict, shown.why ?? "It cannot be pressed now.") }
            return
        }
        if !yes {
            guard !json, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
                printAnswer(shown)
                return
            }
            print(shown.sentence)
            print("Do it? [y/N] ", terminator: "")
            fflush(nil)
            guard let answer = readLine()?.lowercased(), answer == "y" || answer == "yes" else {
                print("Nothing was done.")
                return
            }
        }
        printAnswer(try await links.press(link))
    }

    private func printAnswer(_ answer: LinkAnswer) {
        print(json ? answer.json : answer.sentence)
    }
}
