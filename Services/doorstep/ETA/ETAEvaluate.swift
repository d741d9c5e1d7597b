import ArgumentParser
import ArrivalEstimate
import CommandOutput
import Foundation
import ModelTraining

/// Replays recorded rides through the service's estimator, and writes its hypothetical publications.
struct ETAEvaluate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Predict recorded rides, or first promises, in simulated time.",
        discussion: """
            Writes trip_id,t_unix,eta_seconds,lo_seconds,hi_seconds,published; with --legs or --orders
            delivery_id,seconds,lo_seconds,hi_seconds. The columns with the actual arrival may be empty.
            """)

    @Argument(help: "A folder with trips.csv and positions.csv, courier_legs.csv or deliveries.csv.")
    var folder: String

    @Option(help: "A model that `doorstep eta train` wrote; without it the built-in constants.")
    var model: String?

    @Option(help: "The predictions' output file.")
    var predictions: String

    @Flag(help: "First promises from pickup to arrival, over courier_legs.csv.")
    var legs = false

    @Flag(help: "First promises from order to door, over deliveries.csv.")
    var orders = false

    func validate() throws {
        if legs && orders { throw ValidationError("--legs or --orders, one at a time") }
    }

    func run() async throws {
        let arrivalModel = try model.map { try ArrivalModel(file: $0) } ?? .builtIn
        let folder = URL(filePath: folder, directoryHint: .isDirectory)
        let (text, skipped) =
            if legs {
                try Self.promises(InitialEstimateFolder(legsIn: folder)) { arrivalModel.initialEstimate(for: $0) }
            } else if orders {
                try Self.promises(InitialEstimateFolder(ordersIn: folder)) { arrivalModel.initialEstimate(for: $0) }
            } else {
                try Self.rides(RideFolder(folder), model: arrivalModel)
            }
        try text.write(toFile: predictions)
        if let summary = skipped.summary { CommandFailure.complain(summary) }
    }

    private static func rides(_ folder: RideFolder, model: ArrivalModel) throws -> (String, SkippedRows) {
        let replay = RideReplay(estimator: ArrivalEstimator(model: model))
        var text = "trip_id,t_unix,eta_seconds,lo_seconds,hi_seconds,published\n"
        for ride in folder.rides {
            for row in replay(ride) { text += "\(ride.id),\(row.fields)\n" }
        }
        return (text, folder.skipped)
    }

    private static func promises<Case>(
        _ folder: InitialEstimateFolder<Case>, _ promise: (Case) -> InitialEstimate
    ) throws -> (String, SkippedRows) {
        var text = "delivery_id,seconds,lo_seconds,hi_seconds\n"
        for entry in folder.entries {
            let estimate = promise(entry.subject)
            text += "\(entry.id),\(estimate.seconds.tenths),\(estimate.low.tenths),\(estimate.high.tenths)\n"
        }
        return (text, folder.skipped)
    }
}
