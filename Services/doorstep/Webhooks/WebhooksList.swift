import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OrderDomain
import StackClient
import WireCoding

/// Every address that events are sent to.
struct WebhooksList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List where events are sent: those that fare worst first.")

    @ArgumentParser.Flag(help: "Prints one JSON object a line.")
    var json = false

    func run() async throws {
        let endpoints = try await PartnersCaller().client().get("/v1/webhooks", as: EndpointsBody.self).endpoints
        if json {
            for endpoint in endpoints { writeJSON(try WireJSON.encode(endpoint)) }
        } else {
            writeLine(EndpointsText(endpoints).text)
        }
    }
}

/// Addresses that events are sent to as lines to print.
struct EndpointsText {
    let text: String

    init(_ endpoints: [EndpointBody]) {
        let rows = EndpointBody.worstFirst(endpoints).map { endpoint in
            [
                Self.state(endpoint), String(endpoint.waiting), endpoint.store?.rawValue ?? "every",
                endpoint.events.isEmpty ? "every" : String(endpoint.events.count), endpoint.id.rawValue, endpoint.url,
            ].map(\.safeOnTerminal)
        }
        let header = ["STATE", "WAITING", "STORE", "EVENTS", "ID", "URL"]
        text = (rows.isEmpty ? ["no webhooks"] : Table(header, rows).lines).joined(separator: "\n")
    }

    private static func state(_ endpoint: EndpointBody) -> String {
        guard let reason = endpoint.disabledReason else { return endpoint.state.rawValue }
        return "\(endpoint.state.rawValue) (\(reason))"
    }
}
