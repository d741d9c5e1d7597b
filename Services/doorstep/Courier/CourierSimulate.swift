import ArgumentParser
import CommandOutput
import CourierSimulation
import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import StackClient

/// Simulates a courier's ride: sends fixes, and presses the courier's buttons.
struct CourierSimulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Ride deliveries from the store to their doors, or replay a recorded ride.",
        discussion: """
            Without --ride the route is generated: streets from the store to each door, in the order given.
            A recorded ride is shifted to begin now: GPX (trkpt with time), or CSV with the columns trip_id, t_unix, \
            lat, lon and optionally t_recv, the time when the phone sent the fix.
            Time is the stack's: CLOCK_ORIGIN, CLOCK_WALL_ORIGIN and CLOCK_RATE, as in stack.env.
            """)

    @Option(
        name: .customLong("delivery"),
        help: "A delivery on the trip: its id, or what doorstep ops why finds it by; repeat in the order of the doors.")
    var deliveries: [String] = []
    @Option(help: "A recorded ride, .gpx or .csv.")
    var ride: String?
    @Option(help: "The id of the file's trip.")
    var trip: String?
    @Option(help: "Seconds of the recorded ride per second.")
    var rate = 1.0
    @Option(help: "Seconds between fixes on a generated route; 5 by default.")
    var every: Double?
    @Option(help: "Kilometres an hour on a generated route; by default the speed of the courier's vehicle.")
    var speed: Double?
    @Option(help: "The seed of a generated route and its noise; 1 by default.")
    var seed: UInt64?
    @ArgumentParser.Flag(help: "Send fixes without status changes.")
    var fixesOnly = false

    func validate() throws {
        guard ride != nil || !deliveries.isEmpty else { throw ValidationError("give --delivery, --ride or both") }
        guard ride != nil || (trip == nil && rate == 1) else { throw ValidationError("--trip and --rate need --ride") }
        guard ride == nil || (every == nil && speed == nil && seed == nil) else {
            throw ValidationError("--every, --speed and --seed are of a generated route, without --ride")
        }
        guard [rate, every ?? 1, speed ?? 1].allSatisfy({ $0 > 0 && $0.isFinite }) else {
            throw ValidationError("a rate is a number above 0")
        }
    }

    func run() async throws {
        let clock = try await Stack().clock()
        let orders = try PeerClient(.orders, as: .courier)
        var known: [DeliveryBody] = []
        for id in try await ids() { known.append(try await orders.get("/v1/deliveries/\(id)")) }
        let timeZone = known.first.flatMap { TimeZone(identifier: $0.store.timeZone) } ?? .current
        let plan: RidePlan
        if let ride {
            let recorded = try Ride(file: ride, trip: trip).begun(at: clock.now, rate: rate)
            plan = .recorded(recorded, to: known, isPressing: !fixesOnly)
        } else {
            plan = .alongStreets(
                to: known, from: clock.now, metersPerSecond: metersPerSecond(known), every: every ?? 5,
                isPressing: !fixesOnly, seed: seed ?? 1)
        }
        try await RideRun(
            plan: plan, clock: clock,
            services: HTTPRideServices(courierETA: try PeerClient(.courierETA, as: .courier), orders: orders),
            log: PrintedRideLog(isOnTerminal: OutputStyle.ofOutput(isPlain: false).hasScreen, timeZone: timeZone)
        ).run()
    }

    /// The trip's deliveries; only a text that is no whole id needs an operator's token, with which it is searched.
    private func ids() async throws -> [DeliveryID] {
        let whole = deliveries.compactMap { DeliveryID(rawValue: $0) }
        guard whole.count < deliveries.count else { return whole }
        return try await DeliveryFinder().findAll(deliveries).map(\.id)
    }

    private func metersPerSecond(_ deliveries: [DeliveryBody]) -> Double {
        if let speed { return speed / 3.6 }
        switch deliveries.first?.courier?.vehicle {
        case .car: return StreetRoute.carMetersPerSecond
        case .bicycle, nil: return StreetRoute.bicycleMetersPerSecond
        }
    }
}

extension Ride {
    /// Reads a recorded ride in the format of the file name's extension.
    ///
    /// - Throws: `CommandFailure`.
    init(file path: String, trip: String?) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.usage, "\(path) cannot be read")
        }
        do {
            switch path.lowercased().split(separator: ".").last {
            case "gpx": try self.init(gpx: String(decoding: data, as: UTF8.self), trip: trip)
            case "csv": try self.init(csv: data, trip: trip)
            default: throw CommandFailure(.usage, "a ride is a .gpx or a .csv file")
            }
        } catch let failure as CommandFailure {
            throw CommandFailure(failure.kind, "\(path): \(failure.message)".safeOnTerminal)
        }
    }
}
