import ArgumentParser
import CommandOutput
import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import StackClient
import WireCoding

/// Says whether a courier works, begins that and ends it.
struct CourierDuty: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duty",
        abstract: "Say whether a courier is on duty, begin it or end it.",
        discussion: """
            Positions of a tracker app are taken only while its courier is on duty: while a delivery is theirs, and \
            from --begin to --end.
            """)

    @OptionGroup var whose: WhichCourier
    @Flag(help: "Begins a duty, or changes when the present one ends.")
    var begin = false
    @Option(help: "Hours until it ends by itself, with --begin; 12 where it is left out, 16 at most.")
    var hours: Double?
    @Flag(help: "Ends it.")
    var end = false

    func validate() throws {
        guard !(begin && end) else { throw ValidationError("say --begin or --end, not both") }
        guard hours == nil || begin else { throw ValidationError("--hours needs --begin") }
        guard hours.map({ $0 > 0 && $0 <= 16 }) ?? true else { throw ValidationError("--hours is above 0, 16 at most") }
    }

    func run() async throws {
        let client = try whose.client()
        let path = "/v1/couriers/\(try whose.id())/duty"
        let duty: DutyBody
        if begin {
            let now = try await Stack().clock().now
            let body = BeginDutyBody(until: hours.map { now.addingTimeInterval($0 * 3_600) })
            duty = try await client.send(.PUT, path, body: body, as: DutyBody.self).body
        } else if end {
            duty = try await client.send(.DELETE, path, body: NoBody?.none, as: DutyBody.self).body
        } else {
            duty = try await client.get(path)
        }
        writeLine(duty.text)
    }
}

extension DutyBody {
    /// The duty as a sentence to print.
    var text: String {
        guard onDuty else { return "\(courier) is off duty: positions are not taken" }
        let until = until.map { " until \(WireJSON.text(of: $0))" } ?? ""
        return switch because {
        case .delivery: "\(courier) is on duty: a delivery is theirs"
        case .declared, nil: "\(courier) is on duty\(until)"
        }
    }
}
