import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import Messages
import NIOHTTP1
import StackClient
import WireCoding

/// The options of the commands that erase a person.
struct ErasureOptions: ParsableArguments {
    @Option(help: "How long to wait for all services.")
    var waitSeconds = 300
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: Confirmation
}

/// Makes requests to erase persons.
struct Erasure {
    private let orders: PeerClient

    init(_ orders: PeerClient) { self.orders = orders }

    /// Makes the request, and waits until it is done or the time is over.
    func erase(_ person: RequestedPerson, endLive: Bool, waiting: Duration) async throws -> PersonRequestBody {
        let accepted = try await orders.send(
            .POST, "\(person.path)/erase", body: ErasePersonBody(endLive: endLive), as: PersonRequestBody.self
        ).body
        return try await orders.personRequest(accepted, waiting: waiting)
    }

    /// Erases the person once the caller has confirmed it, and shows the certificate.
    ///
    /// A warning follows where no service had a row of the person; a repeat of an erasure is no failure.
    func show(_ person: RequestedPerson, endLive: Bool, _ options: ErasureOptions) async throws {
        try options.confirmation.ask("Erase everything that is known of \(person)?")
        let certificate = try await erase(person, endLive: endLive, waiting: .seconds(options.waitSeconds))
        let json = try WireJSON.encode(certificate)
        await options.output.show(json: json, text: Self.text(of: certificate).joined(separator: "\n"))
        guard certificate.state == .done else {
            throw CommandFailure(.unavailable, "request \(certificate.id) is still running")
        }
        if certificate.services.allSatisfy(\.tables.isEmpty) {
            writeError("nothing was known of \(person): check the id, unless they were erased before".safeOnTerminal)
        }
    }

    private static func text(of request: PersonRequestBody) -> [String] {
        let deleted = request.services.flatMap { service in
            service.tables.map { "\(service.service) \($0.table): \($0.rows) erased" }
                + (service.failure.map { ["\(service.service): \($0)"] } ?? [])
        }
        let kept = (request.expiries ?? []).map { expiry in
            "left: \(expiry.what)" + (expiry.until.map { ", until \(WireJSON.text(of: $0))" } ?? "")
        }
        let isDone = request.state == .done
        return deleted + kept + [isDone ? "erased: request \(request.id)" : "request \(request.id) is running"]
    }
}
