import ArrivalEstimate
import CommaSeparatedValues
import Foundation
import OrderDomain

/// A folder of recorded rides: `trips.csv` and `positions.csv`.
struct RideFolder {
    /// One ride, with the time at which the server received each fix.
    struct Ride {
        let id: String
        let courier: String
        let mode: TravelMode
        let utcOffset: Double
        let start: Date
        /// Nil where the folder hides it.
        let end: Date?
        let origin: Coordinate?
        let door: Coordinate
        /// The fixes in the order of their receipt.
        var received: [(receivedAt: Date, fix: Fix)] = []

        var recorded: RecordedRide? {
            guard let end, let origin = origin ?? received.map(\.fix).min(by: { $0.time < $1.time })?.place else {
                return nil
            }
            return RecordedRide(
                courier: courier, mode: mode, utcOffset: utcOffset, origin: origin, since: start, door: door,
                arrivedAt: end, fixes: received.map(\.fix))
        }
    }

    private(set) var rides: [Ride] = []
    private(set) var skipped = SkippedRows()

    init(_ folder: URL) throws {
        let trips = try RecordedTable(
            folder.appending(path: "trips.csv"), needing: ["trip_id", "mode", "t_start", "dest_lat", "dest_lon"])
        var index: [String: Int] = [:]
        try trips.forEachRow { row in
            switch Self.ride(row) {
            case .success(let ride) where index[ride.id] == nil:
                index[ride.id] = rides.count
                rides.append(ride)
            case .success(let ride):
                skipped.append(row, of: trips, because: "trip \(ride.id) is there already")
            case .failure(let fault): skipped.append(row, of: trips, because: fault.reason)
            }
        }
        let positions = try RecordedTable(
            folder.appending(path: "positions.csv"), needing: ["trip_id", "t_unix", "lat", "lon"])
        try positions.forEachRow { row in
            guard let ride = row.text("trip_id").flatMap({ index[$0] }) else {
                skipped.append(row, of: positions, because: "its trip is not in trips.csv")
                return
            }
            guard let time = row.number("t_unix"), let place = row.place("lat", "lon") else {
                skipped.append(row, of: positions, because: "t_unix, lat and lon must be numbers")
                return
            }
            let fix = Fix(time: Date(timeIntervalSince1970: time), place: place)
            rides[ride].received.append((Date(timeIntervalSince1970: row.number("t_recv") ?? time), fix))
        }
        for ride in rides.indices { rides[ride].received.sort { $0.receivedAt < $1.receivedAt } }
    }

    private struct Fault: Error { let reason: String }

    private static func ride(_ row: CSVTable.Row) -> Result<Ride, Fault> {
        guard let id = row.text("trip_id") else { return .failure(Fault(reason: "it has no trip_id")) }
        guard let mode = row.text("mode").flatMap(TravelMode.init(column:)) else {
            return .failure(Fault(reason: "trip \(id): mode must be bike, car or cab"))
        }
        guard let start = row.number("t_start"), let door = row.place("dest_lat", "dest_lon") else {
            return .failure(Fault(reason: "trip \(id): t_start, dest_lat and dest_lon must be numbers"))
        }
        return .success(
            Ride(
                id: id, courier: row.text("courier_id") ?? id, mode: mode,
                utcOffset: row.number("tz_offset_s") ?? 0, start: Date(timeIntervalSince1970: start),
                end: row.number("t_end").map(Date.init(timeIntervalSince1970:)),
                origin: row.place("origin_lat", "origin_lon"), door: door))
    }
}

extension TravelMode {
    fileprivate init?(column: String) {
        switch column {
        case "bike": self = .bicycle
        case "car": self = .car
        case "cab": self = .cab
        default: return nil
        }
    }
}

extension CSVTable.Row {
    func place(_ latitude: String, _ longitude: String) -> Coordinate? {
        guard let latitude = number(latitude), let longitude = number(longitude) else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}
