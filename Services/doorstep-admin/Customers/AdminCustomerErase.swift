import ArgumentParser
import CommandOutput
import DomainTime
import Foundation
import Messages
import OrderDomain
import PostgresClient
import StackClient
import WireCoding

/// Deletes every row that the services have of a customer.
struct AdminCustomerErase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Delete a customer's data in all services or in none.",
        discussion: """
            Refused with 5 while a delivery of theirs is live. For a day after the end of the last one the broker's \
            streams contain the customer too, and could restore them: erase them then, or use --rebuild-streams. \
            Back-ups and logs of your own keep their data.
            """)

    @Argument(help: "The customer's id.")
    var customer: CustomerID
    @ArgumentParser.Flag(help: "Delete the broker's streams too, and rebuild them from the databases.")
    var rebuildStreams = false
    @OptionGroup var storage: StreamStorage
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        let stack = try await Stack()
        let now = try stack.clock().now
        let configuration = try stack.postgres()
        let data = CustomerData(customer: customer)
        let state = try await PostgresPool.with(configuration, failing: "be erased") { try await data.state(on: $0) }
        guard state.isKnown else { throw CommandFailure(.notFound, "nothing is known of customer \(customer)") }
        let allowed: @Sendable (CustomerData.State) throws -> Void = { [customer, rebuildStreams] in
            try Self.check($0, customer, at: now, streamsGo: rebuildStreams)
        }
        try allowed(state)
        try confirmation.ask("Erase everything that is known of customer \(customer)?")
        func erase() async throws -> [(table: String, rows: Int)] {
            try await PostgresPool.with(configuration, failing: "be erased") {
                try await data.erase(on: $0, isAllowed: allowed)
            }
        }
        guard rebuildStreams else { return await report(try await erase()) }
        // Before anything is deleted, so that a missing token is reported first.
        let clients = try Peer.messaging.map { try PeerClient($0, as: .operator) }
        let deleted = try await Streams.with(try stack.nats()) { streams in
            try await streams.delete { _ in }
            let deleted: [(table: String, rows: Int)]
            do {
                deleted = try await erase()
            } catch {
                try await streams.set(storage) { _ in }
                throw error
            }
            try await streams.set(storage) { _ in }
            return deleted
        }
        try await forEachReportingFailures(clients) { client in _ = try await client.republish() }
        await report(deleted)
    }

    /// Refuses an erasure after which data would return.
    static func check(
        _ state: CustomerData.State, _ customer: CustomerID, at now: Date, streamsGo: Bool
    ) throws(CommandFailure) {
        guard state.liveDeliveries == 0 else {
            throw CommandFailure(
                .conflict,
                "customer \(customer) has \(state.liveDeliveries) live deliveries; deliver or cancel them first")
        }
        guard !streamsGo, let ended = state.lastEndedAt else { return }
        // An hour for messages after an end.
        let from = ended.addingTimeInterval(Double(StreamDefinition.maxAgeHours + 1) * 3_600)
        guard now < from else { return }
        throw CommandFailure(
            .conflict,
            "the broker's streams have customer \(customer) until \(WireJSON.text(of: from)); erase them then, "
                + "or say --rebuild-streams")
    }

    private func report(_ deleted: [(table: String, rows: Int)]) async {
        let tables = deleted.map { "\"\($0.table)\":\($0.rows)" }.joined(separator: ",")
        let lines = deleted.map { "\($0.table): \($0.rows) deleted" } + ["customer \(customer) is erased"]
        await output.show(
            json: "{\"customer\":\"\(customer)\",\"deleted\":{\(tables)}}".utf8, text: lines.joined(separator: "\n"))
    }
}
