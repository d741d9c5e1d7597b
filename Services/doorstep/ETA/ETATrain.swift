import ArgumentParser
import ArrivalEstimate
import Foundation

/// Fits a model on recorded rides and writes it to a file.
struct ETATrain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "train",
        abstract: "Fit a model on recorded rides, or on the services' own history.",
        discussion: """
            Of a folder it reads trips.csv and positions.csv, and, where they are there, courier_legs.csv and
            deliveries.csv for first promises. With --from-history it reads what courier-eta keeps in the database that
            DATABASE_URL names, as the schemas' owner. The same rides give the same file, byte for byte.
            """)

    @Argument(help: "A folder with trips.csv and positions.csv.")
    var folder: String?

    @Flag(help: "Fit on the ways that couriers have finished.")
    var fromHistory = false

    @Option(help: "With --from-history: how many days back, 1 to 90.")
    var days = 90

    @Option(help: "With --from-history: refuse with fewer finished ways than this; 50 at least.")
    var atLeast = TrainingHistory.waysMin

    @Option(help: "Where the model goes.")
    var model: String

    func validate() throws {
        guard (folder == nil) == fromHistory else { throw ValidationError("a folder or --from-history, one of them") }
        guard (1...90).contains(days) else { throw ValidationError("--days must be from 1 to 90") }
        guard atLeast >= ArrivalModel.ridesMin else {
            throw ValidationError("--at-least must be \(ArrivalModel.ridesMin) or more")
        }
    }

    func run() async throws {
        guard let folder else { return try await fitOnHistory(of: days) }
        let path = URL(filePath: folder, directoryHint: .isDirectory)
        let rides = try RideFolder(path)
        if let summary = rides.passedOver.summary { CommandFailure.complain(summary) }
        let recorded = rides.rides.compactMap(\.recorded)
        do {
            let fitted = try ArrivalModel.fit(recorded, ways: try ways(in: path), orders: try orders(in: path))
            try write(String(decoding: fitted.json(), as: UTF8.self), to: model)
            print("\(model): fitted on \(fitted.rides) rides")
        } catch let error as TooFewRides {
            throw CommandFailure(.usage, "\(folder): \(error)")
        }
    }

    private func ways(in folder: URL) throws -> WayModel? {
        guard Self.isThere("courier_legs.csv", in: folder) else { return nil }
        let legs = try FirstPromiseFolder(legsIn: folder)
        if let summary = legs.passedOver.summary { CommandFailure.complain(summary) }
        return try WayModel.fit(legs.entries.compactMap { entry in entry.seconds.map { (entry.subject, $0) } })
    }

    private func orders(in folder: URL) throws -> OrderModel? {
        guard Self.isThere("deliveries.csv", in: folder) else { return nil }
        let orders = try FirstPromiseFolder(ordersIn: folder)
        if let summary = orders.passedOver.summary { CommandFailure.complain(summary) }
        return try OrderModel.fit(orders.entries.compactMap { entry in entry.seconds.map { (entry.subject, $0) } })
    }

    private static func isThere(_ name: String, in folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: name).path)
    }
}

extension ArrivalModel {
    /// - Throws: `CommandFailure` for a file that is not there, or no model.
    init(file path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.notFound, "\(path) cannot be read: train a model with `doorstep eta train`")
        }
        do throws(ArrivalModelError) {
            try self.init(json: data)
        } catch {
            throw CommandFailure(.usage, "\(path): \(error)")
        }
    }
}
