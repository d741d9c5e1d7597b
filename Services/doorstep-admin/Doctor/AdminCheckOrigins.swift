import ArgumentParser
import CommandOutput

/// Refuses a production stack whose origins only its own machine reaches; docker-compose.yml runs it before a service.
struct AdminCheckOrigins: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-origins",
        abstract: "Check the public origins in LINKS_ORIGIN, COURIERS_ORIGIN, DESK_ORIGIN and PARTNERS_ORIGIN.",
        discussion: "Leaves with 2 where ENVIRONMENT is production and one of them is this machine's own address.")

    func run() throws {
        guard let finding = PublicOrigins().finding else {
            throw CommandFailure(.usage, "no origin is set")
        }
        if let fix = finding.fix { throw CommandFailure(.usage, "\(finding.state). Fix: \(fix)") }
        writeLine(finding.state)
    }
}
