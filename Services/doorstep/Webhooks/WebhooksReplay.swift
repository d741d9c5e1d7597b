import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import StackClient
import WireCoding

/// Sends events to an address again.
struct WebhooksReplay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Send one event to an endpoint again, or a period's events.",
        discussion: """
            Each is sent once, with its former id and body, even while the endpoint is disabled.
            A time is an instant such as 2026-11-21T17:12:00Z; --from and --to are 30 days apart at most.
            """)

    @Argument(help: "The endpoint's id, from doorstep webhooks list.")
    var id: EndpointID
    @Option(help: "The event's id, from doorstep webhooks log.")
    var event: EventID?
    @Option(help: "Events from that time on.", transform: Self.time)
    var from: Date?
    @Option(help: "Events before that time.", transform: Self.time)
    var to: Date?
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (from == nil) == (to == nil), (event == nil) != (from == nil) else {
            throw ValidationError("give either --event, or --from and --to")
        }
    }

    func run() async throws {
        let data = try await PartnersCaller().ask { client in
            try await CommandFailure.naming("doorstep webhooks log \(id)") {
                try await client.exchange(
                    .POST, "/v1/webhooks/\(id)/replay", body: ReplayBody(event: event, from: from, to: to)
                ).0
            }
        }
        try await output.show(data, of: .partners, text: \QueuedBody.text)
    }

    static func time(_ text: String) throws -> Date {
        guard let date = WireJSON.date(from: text) else {
            throw ValidationError("\(text) is no time such as 2026-11-21T17:12:00Z")
        }
        return date
    }
}

extension QueuedBody {
    /// The number of queued events, as a line to print.
    var text: String { queued == 0 ? "Nothing will be sent" : "\(EndpointBody.events(queued)) will be sent" }
}
