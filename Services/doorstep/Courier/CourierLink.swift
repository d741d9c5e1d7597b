import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// The link to a courier's own page.
struct CourierLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Print the link to a courier's own page, with their stops and buttons.",
        discussion: """
            The link stays the same until --revoke. Its holder sees the courier's addresses and may press as the \
            courier. For a page that may also share the position, use doorstep courier enroll. With --revoke an open \
            page ends, and loses the presses and photos that it has not sent.
            """)

    @OptionGroup var whose: WhichCourier
    @ArgumentParser.Flag(help: "Revoke every link of the courier.")
    var revoke = false
    @ArgumentParser.Flag(help: "Draw the link as a code too.")
    var code = false
    @OptionGroup var confirmation: Confirmation

    func validate() throws {
        if revoke, code { throw ValidationError("--revoke prints no link; leave out --code") }
        if confirmation.yes, !revoke { throw ValidationError("--yes answers the question of --revoke") }
    }

    func run() async throws {
        if revoke {
            try confirmation.ask(
                "Revoke every link to the page of \(try whose.id())? What a page has not sent is lost.")
        }
        // A link outlives what courier-eta knows of its courier.
        let client = try await (revoke ? whose : whose.known()).client(of: .orders)
        let path = "/v1/couriers/\(try whose.id())/link"
        if revoke {
            let answer = try await client.send(.DELETE, path, body: NoBody?.none, as: RevokedViewLinksBody.self).body
            writeLine(
                answer.revoked
                    ? "Every link to the page of \(try whose.id()) shows nothing any more"
                    : "No link to the page of \(try whose.id()) was made")
            return
        }
        let link = try await client.send(.POST, path, body: NoBody?.none, as: CourierLinkBody.self).body.url
        if code { writeLine(PageSetUp(link: link).text(hasCode: true, isOnLight: false, on: TerminalSize.ofOutput())) }
        if !code { writeLine(link.safeOnTerminal) }
    }
}
