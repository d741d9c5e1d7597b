import ArrivalEstimate
import CommandOutput
import Foundation
import OrderDomain
import Testing

@testable import Doorstep

@Suite("Evaluating recorded rides")
struct RideFolderTests {
    private func folder(trips: String, positions: String) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(trips.utf8).write(to: folder.appending(path: "trips.csv"))
        try Data(positions.utf8).write(to: folder.appending(path: "positions.csv"))
        return folder
    }

    private let header = "trip_id,courier_id,mode,tz_offset_s,t_start,t_end,origin_lat,origin_lon,dest_lat,dest_lon\n"

    @Test("Garbage is passed over by line, and the rest is read")
    func garbage() throws {
        let folder = try folder(
            trips: header + "a,c1,bike,0,1000,,55.70,12.59,55.68,12.59\nb,c1,sled,0,1000,,55,12,55,12\nc,c1,bike\n",
            positions: "trip_id,t_unix,lat,lon\na,1000,55.70,12.59\na,x,y,z\nz,1000,55,12\na,1010,55.699\n")
        defer { try? FileManager.default.removeItem(at: folder) }
        let rides = try RideFolder(folder)
        #expect(rides.rides.map(\.id) == ["a"])
        #expect(rides.rides[0].received.count == 1 && rides.rides[0].end == nil)
        #expect(rides.skipped.count == 5)
        let summary = try #require(rides.skipped.summary)
        #expect(summary.contains("trips.csv line 3: trip b: mode must be bike, car or cab"))
        #expect(summary.contains("positions.csv line 3: t_unix, lat and lon must be numbers"))
    }

    @Test("A missing column is named")
    func missingColumn() throws {
        let folder = try folder(trips: header, positions: "trip_id,t_unix,lat\n")
        defer { try? FileManager.default.removeItem(at: folder) }
        let failure = #expect(throws: CommandFailure.self) { try RideFolder(folder) }
        #expect(failure?.message.contains("has no column lon") == true)
    }

    @Test("Every ride has a row at its start, and fixes count from when they were received")
    func replay() throws {
        let folder = try folder(
            trips: header + "a,c1,bike,0,1000,,55.70,12.59,55.68,12.59\nb,c1,cab,0,5000,,55.70,12.59,55.68,12.59\n",
            positions: "trip_id,t_unix,lat,lon,t_recv\na,1020,55.699,12.59,1020\na,1040,55.690,12.59,1100\n")
        defer { try? FileManager.default.removeItem(at: folder) }
        let rides = try RideFolder(folder).rides
        let replay = RideReplay(estimator: ArrivalEstimator())
        for ride in rides {
            let rows = replay(ride)
            #expect(rows.first?.time == ride.start && rows.first?.isPublished == true)
            #expect(rows.map(\.time) == rows.map(\.time).sorted())
            #expect(rows.allSatisfy { $0.estimate.earliest <= $0.estimate.arrivesAt })
        }
        let rows = replay(rides[0])
        let before = try #require(rows.last { $0.time < Date(timeIntervalSince1970: 1_100) })
        let after = try #require(rows.first { $0.time >= Date(timeIntervalSince1970: 1_100) })
        #expect(after.estimate.arrivesAt < before.estimate.arrivesAt)
        #expect(rows[0].fields.split(separator: ",").count == 5)
    }

    @Test("Tenths are written the same everywhere", arguments: [(0.0, "0.0"), (12.34, "12.3"), (-0.06, "-0.1")])
    func tenths(number: Double, text: String) {
        #expect(number.tenths == text)
    }
}
