import APIClient
import ArgumentParser
import AsyncHTTPClient
import CommandOutput
import Foundation
import OrderDomain
import StackClient
import TimePresentation
import WebhookSignatures

/// Posts events to a program on this machine, which the internet does not reach.
struct WebhooksListen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Post events to a program on this machine, until Ctrl-C.",
        discussion: """
            The signing secret is printed first and stays the same until Ctrl-C, through reconnections too; --secret \
            keeps it from one run to the next. An event that the program rejects is not sent again, so that it \
            delays no other event; doorstep webhooks trigger sends another.
            """)

    @Option(help: "The program's URL, such as http://127.0.0.1:3000/webhooks.")
    var forward: String
    @Option(
        help: "The secret that the program verifies by, whsec_ and base64; by default one that is printed.",
        transform: { text in
            do {
                let key = try WebhookKey(text)
                guard text.hasPrefix("whsec_") else { throw ValidationError("--secret is a shared secret, whsec_…") }
                return key
            } catch let error as WebhookKeyError {
                throw ValidationError("--secret is no secret of webhooks: \(error)")
            }
        })
    var secret: WebhookKey?
    @OptionGroup var chosen: ChosenEvents
    @Option(help: "The store whose deliveries' events are sent; by default every store that you see.")
    var store: StoreID?

    func validate() throws {
        guard let url = URLComponents(string: forward), url.scheme == "http" || url.scheme == "https",
            url.host.map({ !$0.isEmpty }) ?? false
        else { throw ValidationError("--forward is like http://127.0.0.1:3000/webhooks, not \(forward)") }
    }

    func run() async throws {
        let caller = PartnersCaller()
        let url = ForwardedEventStream.url(
            of: try caller.client().address, events: chosen.events, store: store)
        if let note = caller.viewNote { CommandFailure.complain(note) }
        let (forward, secret) = (forward, secret)
        let timeZone = try await StoreTimes.ofStores(for: caller.holder).timeZone
        try await APIClient.with { client in
            let session = ListenSession(
                stream: ForwardedEventStream(
                    client: client, url: url, token: { try caller.token() }, jitter: { Double.random(in: 0...1) }),
                secret: secret,
                post: { await LocalReceiver(client: client, url: forward).post($0) }, timeZone: timeZone,
                write: { writeLine($0) })
            try await untilInterrupted { try await session.run() }
        }
    }
}
