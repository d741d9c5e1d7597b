import ArgumentParser
import CommandOutput
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// Assigns a courier to deliveries, or unassigns theirs.
struct OpsAssign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "Assign a courier to deliveries, or unassign theirs.",
        discussion: """
            An unknown courier is refused, with similar known ones: customers would read a mistyped id as a name. \
            --name describes a new courier, --unknown assigns any id.
            """)

    @OptionGroup var bulk: BulkChange
    @Option(help: "The courier's id; leave it out with --nobody.")
    var courier: String?
    @Option(help: "The courier's name for customers, for a first assignment.")
    var name: String?
    @Option(help: "bicycle or car.")
    var vehicle: String?
    @Option(help: "The courier's number, shown to the customer through the contact link.")
    var phone: String?
    @ArgumentParser.Flag(help: "Unassign the courier.")
    var nobody = false
    @ArgumentParser.Flag(help: "Assign a courier who was never enrolled or assigned before.")
    var unknown = false
    @OptionGroup var why: Reason

    func validate() throws {
        guard (courier != nil) != nobody else { throw ValidationError("give either --courier ID or --nobody") }
    }

    func run() async throws {
        let choice = try courier.map { text -> AssignBody.Choice in
            guard let id = CourierID(rawValue: text) else {
                throw CommandFailure(.usage, "\(text) cannot be a courier's id: 1 to 64 letters, digits, - and _")
            }
            guard let name else { return .known(id) }
            return .described(
                CourierBody(id: id, name: name, vehicle: try vehicle.map(Self.vehicle), phone: phone))
        }
        if case .known(let id) = choice, !unknown {
            let directory = CourierDirectory(client: try PeerClient(.courierETA, as: .operator))
            if let note = try await AssignableCourier(directory: directory).check(id) { CommandFailure.complain(note) }
        }
        try await bulk.make(
            courier.map { "assigned to \($0)" } ?? "taken from its courier", .PUT, "/courier",
            body: AssignBody(courier: choice, reason: why.reason))
    }

    private static func vehicle(_ text: String) throws -> Vehicle {
        guard let vehicle = Vehicle(rawValue: text) else {
            throw CommandFailure(
                .usage, "a courier has a \(Vehicle.allCases.map(\.rawValue).joined(separator: " or a "))")
        }
        return vehicle
    }
}
