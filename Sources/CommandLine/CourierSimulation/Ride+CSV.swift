internal import CommaSeparatedValues
internal import CommandOutput
package import Foundation
internal import OrderDomain

extension Ride {
    /// Reads recorded fixes from CSV whose header names `trip_id`, `t_unix`, `lat`, `lon` and, where the phone sent
    /// later than it measured, `t_recv`; in any order, and other columns are ignored.
    ///
    /// - Parameter trip: the trip's id; may be nil for a file with one trip.
    /// - Throws: `CommandFailure` that names the line.
    package init(csv data: Data, trip: String?) throws {
        do {
            let table = try CSVTable(data)
            try self.init(table, trip: trip)
        } catch let fault as CSVFault {
            throw CommandFailure(.usage, fault.description)
        }
    }

    private init(_ table: CSVTable, trip: String?) throws {
        guard !table.columns.isEmpty else { throw CommandFailure(.usage, "the file is empty") }
        for column in ["t_unix", "lat", "lon"] where !table.columns.contains(column) {
            throw CommandFailure(.usage, "the header has no column \(column)")
        }
        let hasTrips = table.columns.contains("trip_id")
        let hasSendTimes = table.columns.contains("t_recv")
        var trips: Set<String> = []
        var fixes: [Fix] = []
        try table.forEachRow { row in
            if hasTrips {
                guard row.has("trip_id") else { throw Self.fault(row) }
                let name = row.text("trip_id") ?? ""
                if let trip, name != trip { return }
                trips.insert(name)
            }
            guard let seconds = row.number("t_unix"), let latitude = row.number("lat"),
                let longitude = row.number("lon"), row.has("t_recv") == hasSendTimes,
                let place = Coordinate(latitude: latitude, longitude: longitude)
            else { throw Self.fault(row) }
            let sent = row.number("t_recv") ?? seconds
            fixes.append(
                Fix(
                    time: Date(timeIntervalSince1970: seconds), place: place,
                    sentAt: Date(timeIntervalSince1970: max(sent, seconds))))
        }
        guard trips.count < 2 else {
            throw CommandFailure(.usage, "the file has \(trips.count) trips; choose one with --trip")
        }
        guard !fixes.isEmpty else {
            throw CommandFailure(.notFound, trip.map { "the file has no trip \($0)" } ?? "the file has no fixes")
        }
        self.init(fixes: fixes.stablySorted { $0.sentAt })
    }

    private static func fault(_ row: CSVTable.Row) -> CommandFailure {
        CommandFailure(.usage, "line \(row.line) is no fix: it needs t_unix, lat and lon as numbers on earth")
    }
}

extension Array {
    /// Sorted by a key; elements with equal keys keep their order.
    func stablySorted(by key: (Element) -> some Comparable) -> [Element] {
        enumerated().map { (key($0.element), $0.offset, $0.element) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map(\.2)
    }
}
