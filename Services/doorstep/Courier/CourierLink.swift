import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import StackClient

/// The link to a courier's own page.
struct CourierLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "The link to a courier's own page: their stops, and buttons for what they do.",
        discussion: """
            It is the same link each time, until --revoke. Whoever has it sees the courier's addresses and may press as \
            them. For a page that may also share the position, say doorstep courier enroll.
            """)

    @OptionGroup var whose: WhichCourier
    @ArgumentParser.Flag(help: "Has every link that was made so far show nothing any more.")
    var revoke = false
    @ArgumentParser.Flag(help: "Draws the link as a code too.")
    var code = false

    func validate() throws {
        if revoke, code { throw ValidationError("--revoke prints no link; leave out --code") }
    }

    func run() async throws {
        let client = try whose.client(of: .orders)
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
