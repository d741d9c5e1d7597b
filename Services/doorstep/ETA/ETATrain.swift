import ArgumentParser
import ArrivalEstimate
import CommandOutput
import Foundation
import ModelTraining

/// Fits a model on recorded rides and writes it to a file.
///
/// `--from-history` is handed over to `doorstep-admin` before arguments are parsed.
struct ETATrain: AsyncParsableCommand {
    static let configuration = trainingConfiguration

    @OptionGroup var options: TrainingOptions

    func run() async throws {
        guard let folder = options.folder else { throw CommandFailure(.usage, "eta train needs a folder") }
        let path = URL(filePath: folder, directoryHint: .isDirectory)
        let rides = try RideFolder(path)
        if let summary = rides.skipped.summary { CommandFailure.complain(summary) }
        let recorded = rides.rides.compactMap(\.recorded)
        do {
            let fitted = try ArrivalModel.fit(recorded, legs: try legs(in: path), orders: try orders(in: path))
            try fitted.write(to: options.model)
            writeLine("\(options.model): fitted on \(fitted.rides) rides")
        } catch let error as TooFewRides {
            throw CommandFailure(.usage, "\(folder): \(error)")
        }
    }

    private func legs(in folder: URL) throws -> LegModel? {
        guard Self.isThere("courier_legs.csv", in: folder) else { return nil }
        let legs = try InitialEstimateFolder(legsIn: folder)
        if let summary = legs.skipped.summary { CommandFailure.complain(summary) }
        return try LegModel.fit(legs.entries.compactMap { entry in entry.seconds.map { (entry.subject, $0) } })
    }

    private func orders(in folder: URL) throws -> OrderModel? {
        guard Self.isThere("deliveries.csv", in: folder) else { return nil }
        let orders = try InitialEstimateFolder(ordersIn: folder)
        if let summary = orders.skipped.summary { CommandFailure.complain(summary) }
        return try OrderModel.fit(orders.entries.compactMap { entry in entry.seconds.map { (entry.subject, $0) } })
    }

    private static func isThere(_ name: String, in folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: name).path)
    }
}
