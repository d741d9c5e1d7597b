import ArgumentParser
import AsyncHTTPClient
import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import StackClient

/// Posts events to a program on this machine, which the internet does not reach.
struct WebhooksListen: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen", abstract: "Post events to a program on this machine while you write it, until Ctrl-C.",
        discussion: """
            The secret that events are signed by is printed first. An event that the program does not take is not sent \
            again, so that listening holds nothing up; doorstep webhooks trigger makes up another.
            """)

    @Option(help: "Where each event is posted, such as http://127.0.0.1:3000/webhooks.")
    var forward: String
    @OptionGroup var chosen: ChosenEvents
    @Option(help: "The store whose deliveries are meant; those of every store that you see without it.")
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
        let forward = forward
        try await APIClient.with { client in
            let session = ListenSession(
                stream: ForwardedEventStream(
                    client: client, url: url, token: { try caller.token() }, jitter: { Double.random(in: 0...1) }),
                post: { await LocalReceiver(client: client, url: forward).post($0) },
                write: { writeLine($0) })
            try await untilInterrupted { try await session.run() }
        }
    }
}
