import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
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
            --name describes a new courier, --unknown assigns any id. Without --courier the couriers are listed, the \
            nearest to the goods first. Several deliveries, and with --from all of a courier's, \
            follow the new courier's own stops in a proposed order, which --dry-run prints with every arrival.
            """)

    @OptionGroup var bulk: BulkChange
    @Option(help: "A courier whose live deliveries are all given to --courier, but those handed over by word.")
    var from: String?
    @Option(help: "The courier's id; left out, the command lists couriers, the nearest first.")
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
        guard courier == nil || !nobody else { throw ValidationError("give either --courier ID or --nobody") }
        guard name != nil || (vehicle == nil && phone == nil) else {
            throw ValidationError("--vehicle and --phone describe a courier; give --name too")
        }
        guard name == nil || courier != nil else { throw ValidationError("--name describes a --courier ID") }
        guard bulk.deliveries.isEmpty != (from == nil) else {
            throw ValidationError("name either deliveries or --from COURIER")
        }
        guard from == nil || (!nobody && from != courier) else {
            throw ValidationError("--from gives a courier's deliveries to another --courier")
        }
    }

    func run() async throws {
        let choice = try courier.map { text -> AssignBody.Choice in
            let id = try WhichCourier.id(text)
            guard let name else { return .known(id) }
            return .described(
                CourierBody(id: id, name: name, vehicle: try vehicle.map(Self.vehicle), phone: phone))
        }
        var changes = bulk
        if choice == nil, !nobody {
            if let from { changes.deliveries = try await Self.deliveries(of: try WhichCourier.id(from)) }
            guard let first = try await DeliveryFinder().findAll(changes.deliveries).first else { return }
            throw try await CourierCandidates().refusal(for: first.id)
        }
        if case .known(let id) = choice, !unknown {
            if let note = try await Self.check(id) { CommandFailure.complain(note) }
            if let from { changes.deliveries = try await Self.deliveries(of: try WhichCourier.id(from)) }
            if from != nil || changes.deliveries.count > 1, try await CourierMove().mayPlan(for: id) {
                let found = try await DeliveryFinder().findAll(changes.deliveries).map(\.id)
                return try await CourierMove().run(found, to: id, reason: why.reason, dryRun: bulk.dryRun)
            }
        } else if from != nil {
            throw CommandFailure(.usage, "--from needs a known --courier, without --unknown and --name")
        }
        let body = AssignBody(courier: choice, reason: why.reason)
        try await changes.make(.PUT, "/courier", query: [("unknown", "true")]) { _, delivery in
            guard let courier else { return ("taken from its courier", body) }
            let isReleased = delivery.isHeldForVehicle && delivery.courier?.id.rawValue != courier
            return ("assigned to \(courier)" + (isReleased ? ", released from hold" : ""), body)
        }
    }

    /// The ids of a known courier's live deliveries.
    private static func deliveries(of courier: CourierID) async throws -> [String] {
        _ = try await check(courier)
        return try await CourierMove().deliveries(of: courier).map(\.rawValue)
    }

    private static func check(_ id: CourierID) async throws -> String? {
        let directory = CourierDirectory(client: try PeerClient(.courierETA, as: .operator))
        return try await AssignableCourier(directory: directory).check(id)
    }

    private static func vehicle(_ text: String) throws -> Vehicle {
        guard let vehicle = Vehicle(rawValue: text) else {
            throw CommandFailure(
                .usage, "a courier has a \(Vehicle.allCases.map(\.rawValue).joined(separator: " or a "))")
        }
        return vehicle
    }
}
