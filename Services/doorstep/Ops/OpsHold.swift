import ArgumentParser
import DoorstepAPI
import NIOHTTP1

/// Puts deliveries on hold.
struct OpsHold: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Put deliveries on hold; their cards show the hold.")

    @OptionGroup var bulk: BulkChange
    @OptionGroup var why: Reason

    func run() async throws {
        try await bulk.make("put on hold", .PUT, "/hold", body: HoldBody(reason: why.reason))
    }
}

/// Releases deliveries that are on hold.
struct OpsRelease: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Release deliveries from their hold.")

    @OptionGroup var bulk: BulkChange
    @OptionGroup var why: Reason

    func run() async throws {
        try await bulk.make("released", .DELETE, "/hold", body: HoldBody(reason: why.reason))
    }
}
