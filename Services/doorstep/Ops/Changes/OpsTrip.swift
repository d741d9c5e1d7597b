import ArgumentParser
import DoorstepAPI
import NIOHTTP1

/// Sets the order of the stops of one courier's trip.
struct OpsTrip: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trip",
        abstract: "Set the order of a courier's stops.",
        discussion: """
            The deliveries in the order of their doors: the first has no stop before it, the second has one. Without a \
            trip each is estimated as the next stop.
            """)

    @OptionGroup var bulk: BulkChange
    @Option(help: "The number of stops before the first of these.")
    var stopsBefore = 0

    func validate() throws {
        guard (0...50).contains(stopsBefore + bulk.deliveries.count - 1), stopsBefore >= 0 else {
            throw ValidationError("a trip has 50 stops before a door at most")
        }
    }

    func run() async throws {
        try await bulk.make(.PUT, "/trip") { index, _ in
            let stops = stopsBefore + index
            return ("\(stops) stop\(stops == 1 ? "" : "s") before it", TripBody(stopsBefore: stops))
        }
    }
}
