import ArgumentParser
import CommandOutput
import StackClient

/// Recreates everything in the broker from the databases.
struct AdminRebuildStreams: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild-streams",
        abstract: "Delete and recreate streams and consumers, then republish everything live.",
        discussion: """
            No data is lost: the databases are complete, and unsent messages wait there. Screens are right again \
            within a minute. Streams keep their copies and their bounds where they are not named; in a cluster, one \
            copy must be named too, so that a cluster that has lost its streams needs --replicas, as a stream does that \
            cannot be read. Uses the token in the file that DOORSTEP_OPERATOR_TOKEN_FILE names, an unrestricted \
            supervisor's: where a service refuses it, as one that is restricted to a store, nothing is deleted. With \
            --without-republish it needs none.
            """)

    @OptionGroup var storage: StreamStorage
    @Flag(help: "Republish nothing, such as while services are stopped for a restore of their databases.")
    var withoutRepublish = false
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        try confirmation.ask("Delete the streams and build them again from the databases?")
        // Before anything is deleted, so that a token that is missing or refused is reported first.
        let command = "doorstep admin rebuild-streams" + (withoutRepublish ? " --without-republish" : "")
        let clients = try withoutRepublish ? [] : Peer.messaging.map { try PeerClient($0, as: .operator) }
        try await Self.checkAllowed(clients)
        try await Streams.with(try await Stack().nats()) { streams in
            // Before anything is deleted: a refusal leaves the streams as they are.
            let former = try await streams.present { name, error in
                // One that does not answer, as without a quorum, can be deleted all the same.
                try Streams.check(unread: name, error, named: storage.replicas)
                writeLine("stream \(name) cannot be read, and is created as a new one: \(error)")
            }
            _ = try streams.copies(storage, after: former)
            try await streams.set(storage, after: former, rebuiltBy: command) { writeLine($0) }
        }
        try await forEachReportingFailures(clients) { client in
            do {
                writeLine("\(client): published \(try await client.republish()) again")
            } catch let failure as CommandFailure {
                throw CommandFailure(
                    failure.kind,
                    """
                    \(failure.message); the streams are built again, and only the republish is left: press it on the \
                    desk's page of health, or POST \(client.address)/v1/admin/republish
                    """)
            }
        }
    }

    /// Asks each service for the reads of before there were any, which it answers to whom it lets republish.
    ///
    /// Others get 401, 403 or 404, such as a customer or a supervisor of one store.
    ///
    /// - Throws: `CommandFailure` of kind not allowed where a service refuses the token.
    static func checkAllowed(_ clients: [PeerClient]) async throws {
        try await forEachReportingFailures(clients) { client in
            do {
                _ = try await client.get(
                    "/v1/personal-reads", query: [("until", "1970-01-01T00:00:00Z")], as: NoBody.self)
            } catch let failure as CommandFailure {
                switch failure.kind {
                case .notAllowed, .notFound:
                    throw CommandFailure(
                        .notAllowed,
                        "\(failure.message): the republish is for unrestricted supervisors; nothing was deleted")
                // The service is away, and what it has live is published later.
                case .unavailable: break
                case .usage, .conflict, .interrupted: throw failure
                }
            }
        }
    }
}
