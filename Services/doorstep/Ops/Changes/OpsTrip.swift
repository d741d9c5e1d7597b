import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import NIOHTTP1
import OrderDomain

/// Sets the order of the stops of one courier's trip.
struct OpsTrip: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trip",
        abstract: "Set the order of a courier's stops.",
        discussion: """
            The deliveries in the order of their doors: the first has no stop before it, the second has one. Bags of \
            one door that are named one after the other are one stop. Without a trip each is estimated as the next stop.
            """)

    @OptionGroup var bulk: BulkChange
    @Option(help: "The number of stops before the first of these.")
    var stopsBefore = 0
    @Option(help: "The reason; it is stored in each delivery's timeline with your name.")
    var reason: String?

    func validate() throws {
        guard TripBody.stopsBeforeRange.contains(stopsBefore) else { throw ValidationError(Self.tooLong) }
    }

    private static let tooLong = "a trip has 50 stops before a door at most"

    func run() async throws {
        let deliveries = try await bulk.read()
        try Self.check(deliveries)
        let places = Self.places(of: deliveries, from: stopsBefore)
        guard places.allSatisfy(TripBody.stopsBeforeRange.contains) else {
            throw CommandFailure(.usage, Self.tooLong + ". Nothing was changed")
        }
        try await bulk.make(.PUT, "/trip") { index, _ in
            let stops = places[index]
            return ("\(stops) stop\(stops == 1 ? "" : "s") before it", TripBody(stopsBefore: stops, reason: reason))
        }
    }

    /// The stops before each delivery, in their order.
    ///
    /// - Parameter first: the stops before the first of them.
    static func places(of deliveries: [DeliveryBody], from first: Int) -> [Int] {
        var place = first
        return deliveries.indices.map { index in
            if index > 0, !areOneStop(deliveries[index - 1], deliveries[index]) { place += 1 }
            return place
        }
    }

    /// Whether two bags are handed over together: for one door, with nothing to fetch between them.
    private static func areOneStop(_ one: DeliveryBody, _ next: DeliveryBody) -> Bool {
        guard let door = one.door, door == next.door else { return false }
        return (one.courierStatus == nil) == (next.courierStatus == nil) && one.fetchedFrom?.id == next.fetchedFrom?.id
    }

    /// Refuses deliveries that are no stops of one courier's trip; nothing is changed then.
    ///
    /// - Throws: `CommandFailure` of kind conflict that names each of them.
    static func check(_ deliveries: [DeliveryBody]) throws {
        let courier = deliveries.lazy.compactMap { $0.endedAt == nil ? $0.courier : nil }.first
        let faults = deliveries.compactMap { delivery -> String? in
            if delivery.endedAt != nil { return "\(delivery.reference) has ended (\(delivery.status.text))" }
            guard let own = delivery.courier else { return "\(delivery.reference) has no courier" }
            guard let courier, own.id != courier.id else { return nil }
            return "\(delivery.reference) is \(own.id)'s, not \(courier.id)'s"
        }
        guard faults.isEmpty else {
            throw CommandFailure(
                .conflict,
                "these are not the stops of one courier: \(faults.joined(separator: ", ")). Nothing was changed"
                    .safeOnTerminal)
        }
    }
}
