import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import StackClient

/// Recreates everything in the broker from the databases.
struct AdminRebuildStreams: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rebuild-streams",
        abstract: "Delete and recreate streams and consumers, then publish everything live again.",
        discussion: """
            Nothing is lost: the databases have it all, and what is yet to be sent waits there. Screens are right again \
            within a minute. Speaks with the token in the file that DOORSTEP_OPERATOR_TOKEN_FILE names.
            """)

    @OptionGroup var copies: Replicas
    @Flag(help: "Do it without asking.")
    var yes = false

    func run() async throws {
        try confirm()
        // Before anything is deleted, so that a missing token is reported first.
        let clients = try Peer.allCases.map { try PeerClient($0, as: .operator) }
        try await Streams.with(try await Stack().nats()) { streams in
            try await streams.delete { print($0) }
            try await streams.set(replicas: copies.replicas) { print($0) }
        }
        try await forEachReportingFailures(Array(clients.indices)) { index in
            let client = clients[index]
            let answer = try await client.send(
                .POST, "/v1/admin/republish", body: NoBody?.none, as: RepublishBody.self)
            print("\(client.peer.rawValue): published \(answer.body.republished) again")
        }
    }

    private func confirm() throws {
        guard !yes else { return }
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw CommandFailure(.usage, "this deletes the streams; say --yes where nobody can be asked")
        }
        print("Delete the streams and build them again from the databases? [y/N] ", terminator: "")
        fflush(nil)
        guard let answer = readLine()?.lowercased(), answer == "y" || answer == "yes" else {
            throw CommandFailure(.interrupted, "")
        }
    }
}
