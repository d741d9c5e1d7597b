import CommandOutput
import Foundation
import OrderDomain
import Testing

@testable import CourierSimulation

@Suite("Recorded rides")
struct RideFileTests {
    private static func ride(csv text: String, trip: String?) throws -> Ride {
        try Ride(csv: Data(text.utf8), trip: trip)
    }

    static let csv = """
        lat,lon,trip_id,t_unix,note
        55.70,12.59,a,1000,first
        55.71,12.58,b,2000,other trip
        55.72,12.57,a,1010,second

        """

    @Test("CSV columns are found by name and trips are told apart")
    func columns() throws {
        let ride = try Self.ride(csv: Self.csv, trip: "a")
        #expect(ride.fixes.map(\.time.timeIntervalSince1970) == [1000, 1010])
        #expect(ride.fixes.map(\.place.latitude) == [55.70, 55.72])
        #expect(ride.fixes.map(\.sentAt) == ride.fixes.map(\.time))
    }

    @Test("A file with several trips asks which one")
    func several() {
        let failure = #expect(throws: CommandFailure.self) { try Self.ride(csv: Self.csv, trip: nil) }
        #expect(failure?.kind == .usage)
        #expect(failure?.message.contains("--trip") == true)
    }

    @Test("A trip that is not in the file is not found")
    func unknown() {
        #expect(throws: CommandFailure.self) { try Self.ride(csv: Self.csv, trip: "c") }
        #expect(throws: CommandFailure.self) { try Ride(gpx: Self.gpx, trip: "Evening") }
    }

    @Test("A late fix is sent when it was received, in the order of receiving")
    func received() throws {
        let text = """
            trip_id,t_unix,lat,lon,t_recv
            a,1000,55.70,12.59,1000
            a,1005,55.71,12.59,1200
            a,1010,55.72,12.59,1010
            """
        let ride = try Self.ride(csv: text, trip: nil)
        #expect(ride.fixes.map(\.time.timeIntervalSince1970) == [1000, 1010, 1005])
        #expect(ride.fixes.map(\.sentAt.timeIntervalSince1970) == [1000, 1010, 1200])
    }

    @Test(
        "A line that is no fix is named",
        arguments: ["a,1000,north,12.59", "a,1000,95.0,12.59", "a,1000", "a,,55.7,12.59"])
    func fault(line: String) {
        let failure = #expect(throws: CommandFailure.self) {
            try Self.ride(csv: "trip_id,t_unix,lat,lon\na,990,55.7,12.59\n\(line)", trip: nil)
        }
        #expect(failure?.message.contains("line 3") == true)
    }

    @Test("A header without a column says which one")
    func header() {
        let failure = #expect(throws: CommandFailure.self) { try Self.ride(csv: "t_unix,lat\n1,2", trip: nil) }
        #expect(failure?.message == "the header has no column lon")
    }

    static let gpx = """
        <?xml version="1.0"?>
        <gpx version="1.1"><wpt lat="1" lon="2"><time>2026-11-21T17:00:00Z</time></wpt>
        <trk><name>Morning</name><trkseg>
          <trkpt lon="12.5942" lat="55.7085"><ele>3</ele><time>2026-11-21T17:00:00Z</time></trkpt>
          <trkpt lat='55.7090' lon='12.5950'><time>2026-11-21T17:00:07.500Z</time></trkpt>
          <trkpt lat="55.7100" lon="12.5960"></trkpt>
        </trkseg></trk></gpx>
        """

    @Test("GPX gives the track's points that have a time")
    func tracks() throws {
        let ride = try Ride(gpx: Self.gpx, trip: nil)
        #expect(ride.fixes.map(\.place.longitude) == [12.5942, 12.5950])
        #expect(ride.duration == 7.5)
        #expect(try Ride(gpx: Self.gpx, trip: "Morning") == ride)
    }

    @Test("A GPX point off the earth is refused")
    func offEarth() {
        let text = Self.gpx.replacing("55.7085", with: "155.7085")
        #expect(throws: CommandFailure.self) { try Ride(gpx: text, trip: nil) }
    }

    @Test("A ride is shifted to begin now and may be ridden faster")
    func shifted() throws {
        let now = Date(timeIntervalSince1970: 50_000)
        let ride = try Self.ride(csv: Self.csv, trip: "a")
        #expect(ride.begun(at: now).fixes.map(\.time.timeIntervalSince1970) == [50_000, 50_010])
        #expect(ride.begun(at: now, rate: 5).fixes.map(\.sentAt.timeIntervalSince1970) == [50_000, 50_002])
    }
}
