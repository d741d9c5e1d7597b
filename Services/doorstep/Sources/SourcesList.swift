import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import StackClient
import WireCoding

/// Every account at a provider whose webhooks are taken in.
struct SourcesList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List accounts at delivery providers whose webhooks are taken in.")

    @ArgumentParser.Flag(help: "Prints one JSON object a line.")
    var json = false

    func run() async throws {
        let sources = try await PartnersCaller().client().get("/v1/sources", as: SourcesBody.self).sources
        if json {
            for source in sources { writeJSON(try WireJSON.encode(source)) }
        } else {
            writeLine(SourcesText(sources).text)
        }
    }
}

/// Sources as lines to print.
struct SourcesText {
    let text: String

    init(_ sources: [SourceBody]) {
        let rows = sources.map { source in
            [
                source.id.rawValue, source.provider, source.name ?? "–", source.store?.rawValue ?? "every",
                String(source.secrets.count), source.acceptsTest ? "taken" : "kept apart", source.url,
            ].map(\.safeOnTerminal)
        }
        let header = ["SOURCE", "PROVIDER", "NAME", "STORE", "SECRETS", "TEST EVENTS", "URL"]
        text = (rows.isEmpty ? ["no sources"] : Table(header, rows).lines).joined(separator: "\n")
    }
}
