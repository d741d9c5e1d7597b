import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import StackClient

/// Messages that a service could not process or publish.
struct OpsDeadLetters: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead-letters",
        abstract: "List, retry or drop messages that a service could not handle or publish.",
        subcommands: [
            DeadLettersList.self, DeadLettersShow.self, DeadLettersRetry.self, DeadLettersDrop.self,
        ])
}

extension Peer: ExpressibleByArgument {}

/// The services whose dead letters a command reads.
struct DeadLetterServices: ParsableArguments {
    @Option(help: "Only dead letters of this service; all four by default.")
    var service: Peer?

    var peers: [Peer] { service.map { [$0] } ?? Peer.messaging }

    /// The dead letter, and the service that has it.
    ///
    /// - Throws: `CommandFailure` of kind not found where none of the services has it.
    func find(_ id: String) async throws -> (client: PeerClient, letter: DeadLetterBody) {
        var unavailable: String?
        for peer in peers {
            let client = try PeerClient(peer, as: .operator)
            switch try await PeerAnswer.request({
                try await client.get("/v1/admin/dead-letters/\(id)", as: DeadLetterBody.self)
            }) {
            case .body(let letter): return (client, letter)
            case .notFound: continue
            // This service may have it; the others are asked before the failure is an error.
            case .unavailable(let reason): unavailable = unavailable ?? reason
            }
        }
        if let unavailable { throw CommandFailure(.unavailable, unavailable) }
        throw CommandFailure(.notFound, "no dead letter \(id)")
    }

    /// The ids of open ones, and whether more are open: after ``lettersMax`` no further page is read.
    func open() async throws -> (ids: [String], hasMore: Bool) {
        var ids: [String] = []
        var hasMore = false
        for peer in peers {
            let client = try PeerClient(peer, as: .operator)
            var cursor: String?
            repeat {
                let page: DeadLettersBody = try await client.get(
                    "/v1/admin/dead-letters", query: [("cursor", cursor)])
                ids += page.deadLetters.map(\.id)
                cursor = page.next
            } while cursor != nil && ids.count < Self.lettersMax
            hasMore = hasMore || cursor != nil
        }
        return (ids, hasMore)
    }

    /// The dead letters after which a bulk command reads no further page.
    static let lettersMax = 1_000
}
