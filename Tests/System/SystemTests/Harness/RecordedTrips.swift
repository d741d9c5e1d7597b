import Foundation
import OrderDomain
import SimulationSupport

/// Recorded trips of real couriers; evaluation data that is not part of the project.
enum RecordedTrips {
    /// The folder with `trips.csv` and `positions.csv`: `DOORSTEP_RIDES`, or `shared/data/eta/dev` beside the checkout
    /// or beside any folder above it; nil where they are not.
    static var folder: URL? {
        var folders = sequence(first: ProcessStack.root) { $0.path == "/" ? nil : $0.deletingLastPathComponent() }
            .dropFirst().map { $0.appending(path: "shared/data/eta/dev") }
        if let path = ProcessInfo.processInfo.environment["DOORSTEP_RIDES"] { folders = [URL(filePath: path)] }
        return folders.first { FileManager.default.fileExists(atPath: $0.appending(path: "trips.csv").path) }
    }

    /// Two trips by bicycle and one by car that resemble a grocery delivery: some minutes long, with a fix at
    /// least each minute and a half.
    static func three(in folder: URL) throws -> [Route] {
        let trips = try rows(of: "trips.csv", in: folder).filter { row in
            guard let start = row["t_start"].flatMap(Double.init), let end = row["t_end"].flatMap(Double.init),
                let points = row["n_points"].flatMap(Int.init), let gap = row["max_gap_s"].flatMap(Double.init)
            else { return false }
            return (420...900).contains(end - start) && points >= 60 && gap <= 90
        }
        let chosen = trips.filter { $0["mode"] == "bike" }.prefix(2) + trips.filter { $0["mode"] == "car" }.prefix(1)
        let names = chosen.compactMap { $0["trip_id"] }
        var fixes: [String: [Route.Point]] = [:]
        for row in try rows(of: "positions.csv", in: folder, where: Set(names)) {
            guard let trip = row["trip_id"], let time = row["t_unix"].flatMap(Double.init),
                let latitude = row["lat"].flatMap(Double.init), let longitude = row["lon"].flatMap(Double.init),
                let place = Coordinate(latitude: latitude, longitude: longitude)
            else { continue }
            fixes[trip, default: []].append(Route.Point(seconds: time, place: place))
        }
        return names.compactMap { fixes[$0] }.filter { $0.count > 1 }.map { points in
            Route(points.map { Route.Point(seconds: $0.seconds - points[0].seconds, place: $0.place) })
        }
    }

    /// - Parameter first: what the first column must be one of; nil takes every row.
    private static func rows(
        of name: String, in folder: URL, where first: Set<String>? = nil
    ) throws -> [[String: String]] {
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        var lines = text.split(whereSeparator: \.isNewline).makeIterator()
        let header = lines.next()?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
        var rows: [[String: String]] = []
        while let line = lines.next() {
            if let first, !first.contains(String(line.prefix { $0 != "," })) { continue }
            let values = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            rows.append(Dictionary(zip(header, values), uniquingKeysWith: { one, _ in one }))
        }
        return rows
    }
}
