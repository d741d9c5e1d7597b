import ArgumentParser
import CommandOutput
import NIOHTTP1
import OrderDomain

/// Moves deliveries to a status.
struct OpsSetStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-status", abstract: "Move deliveries to a status; also out of an end.")

    @OptionGroup var bulk: BulkChange
    @Option(help: "One of \(StatusCode.allCases.map(\.rawValue).joined(separator: ", ")).")
    var status: String
    @OptionGroup var why: Reason
    @OptionGroup var report: StatusReport
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        let code = try StatusCode(argument: status)
        if code.isEnd, !bulk.dryRun, !bulk.deliveries.isEmpty {
            try confirmation.ask("End \(bulk.deliveries.joined(separator: ", ")) as \(code.rawValue)?")
        }
        try await bulk.make(
            "set to \(code.rawValue)", .POST, "/status", body: report.body(code, reason: why.reason))
    }
}
