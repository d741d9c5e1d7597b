import ArgumentParser
import CommandOutput
import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import StackClient
import TimePresentation

/// Shows a courier's duty, begins it or ends it.
struct CourierDuty: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duty",
        abstract: "Show whether a courier is on duty, begin the duty or end it.",
        discussion: """
            courier-eta accepts a tracker app's positions only while its courier is on duty: while the courier has a \
            delivery, and from --begin to --end.
            """)

    @OptionGroup var whose: WhichCourier
    @Flag(help: "Begin a duty, or change the end of the present one.")
    var begin = false
    @Option(help: "Hours until the duty ends, with --begin; 12 by default, 16 at most.")
    var hours: Double?
    @Flag(help: "End the duty.")
    var end = false

    func validate() throws {
        guard !(begin && end) else { throw ValidationError("give --begin or --end, not both") }
        guard hours == nil || begin else { throw ValidationError("--hours needs --begin") }
        guard hours.map({ $0 > 0 && $0 <= 16 }) ?? true else { throw ValidationError("--hours is above 0, 16 at most") }
    }

    func run() async throws {
        let client = try await whose.known().client()
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
        writeLine(duty.text(try await .ofStores(for: whose.holder())))
    }
}

extension DutyBody {
    /// The duty as a sentence to print.
    ///
    /// - Parameter times: the format of its end.
    func text(_ times: StoreTimes) -> String {
        guard onDuty else { return "\(courier) is off duty: courier-eta refuses their positions" }
        let until = until.map { " until \(times.text($0)) \(times.zoneName)" } ?? ""
        return switch because {
        case .delivery: "\(courier) is on duty: they have a delivery"
        case .declared, nil: "\(courier) is on duty\(until)"
        }
    }
}
