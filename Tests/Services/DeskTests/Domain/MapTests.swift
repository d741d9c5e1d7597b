import DeliverySamples
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Desk

@Suite("What the map shows")
struct MapTests {
    private static let now = SampleDeliveries.at(10)

    private func position(
        age: TimeInterval = 5, speed: Double? = nil, standing: Int = 0
    ) -> CourierPositionBody {
        CourierPositionBody(
            courier: SampleDeliveries.id("mira"),
            latest: .init(
                time: Self.now.addingTimeInterval(-age), latitude: 55.7, longitude: 12.6, accuracy: 8, speed: speed,
                heading: nil),
            standingSeconds: standing, usualIntervalSeconds: 10, isSilent: false, deliveries: [])
    }

    @Test("A courier's state is by the phone and the deliveries, and silent by the deliveries' flag alone")
    func states() {
        let cases: [(CourierPositionBody?, Bool, CourierState)] = [
            (nil, true, .untracked), (nil, false, .idle), (position(age: 601), true, .untracked),
            (position(age: 601), false, .idle), (position(speed: 4), true, .moving),
            (position(speed: 4), false, .moving), (position(speed: 0, standing: 90), true, .standing),
            (position(speed: 0, standing: 30), true, .moving), (position(speed: 0, standing: 300), false, .idle),
            (position(age: 120, speed: 4), true, .moving), (position(age: 121, speed: 4), true, .untracked),
            (position(age: 121, speed: 4), false, .idle), (position(age: 600, standing: 90), true, .standing),
        ]
        for (position, hasDeliveries, state) in cases {
            #expect(
                CourierState(position, now: Self.now, hasDeliveries: hasDeliveries, isSilent: false) == state)
            #expect(CourierState(position, now: Self.now, hasDeliveries: true, isSilent: true) == .silent)
        }
    }

    @Test("A courier whose vehicle has broken down is named so until another has their goods, or they are released")
    func brokenVehicle() {
        func words(_ changes: [DeliveryChange]) -> String {
            let row = ServicesByTest.row(SampleDeliveries.whole(SampleDeliveries.toEnRoute + changes))
            return CourierOnDesk(
                id: SampleDeliveries.id("mira"), row: nil, position: position(age: 60, speed: 4), deliveries: [row],
                now: Self.now
            ).words
        }
        let hold = DeliveryChange.hold(reason: CourierProblem.vehicle.reason)
        #expect(words([]) == "moving, seen 1 min ago")
        #expect(words([hold]) == "vehicle has broken down, seen 1 min ago")
        #expect(words([hold, .release]) == "moving, seen 1 min ago")
        #expect(words([.hold(reason: "the street is closed")]) == "moving, seen 1 min ago")
        let held = ServicesByTest.row(SampleDeliveries.whole(SampleDeliveries.toEnRoute + [hold]))
        let courier = CourierOnDesk(
            id: SampleDeliveries.id("mira"), row: nil, position: nil, deliveries: [held], now: Self.now)
        let listed = courier.values["deliveries"] as? [[String: Any]]
        #expect(listed?.first?["status"] as? String == "on the way, on hold: courier: the vehicle has broken down")
    }

    @Test("A courier whose phone sends what cannot be read shows how much, and when it was last")
    func unread() {
        func unread(_ malformed: Int?, at: Date?) -> Any? {
            let row = CouriersBody.Row(
                courier: SampleDeliveries.id("mira"), name: "Mira", phones: 1, lastSeenAt: Self.now, onDuty: true,
                deliveries: 0, malformed: malformed, malformedAt: at)
            let courier = CourierOnDesk(
                id: row.courier, row: row, position: nil, deliveries: [], now: Self.now)
            return courier.values["unread"]
        }
        #expect(unread(nil, at: nil) == nil)
        #expect(
            unread(3, at: Self.now.addingTimeInterval(-180)) as? String
                == "3 positions could not be read, the last 3 min ago")
    }

    private func streets(_ text: String) throws -> StreetsFile { try StreetsFile(Data(text.utf8)) }

    @Test("Of a file of streets its lines are kept to a metre, and who made it")
    func streets() throws {
        let file = try streets(
            """
            {"type": "FeatureCollection", "attribution": "© somebody", "features": [
              {"type": "Feature", "properties": {"name": "secret"}, "geometry":
                {"type": "LineString", "coordinates": [[24.9412345678, 60.1698765432], [24.95, 60.17, 3]]}},
              {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [0, 0]}},
              {"type": "Feature", "properties": {}, "geometry":
                {"type": "MultiLineString", "coordinates": [[[1, 2], [3, 4]]]}}]}
            """)
        let text = String(decoding: file.geoJSON, as: UTF8.self)
        #expect(text.contains("[[24.94123,60.16988],[24.95,60.17]]") && text.contains("[[1,2],[3,4]]"))
        #expect(!text.contains("secret") && file.attribution == "© somebody")
    }

    @Test(
        "Anything else than lines on earth is refused with what is wrong in it",
        arguments: [
            ("nonsense", "no GeoJSON"), (#"{"type": "Topology"}"#, "no GeoJSON"),
            (#"{"type": "FeatureCollection", "features": []}"#, "no LineString"),
            (
                #"{"type": "FeatureCollection", "features": [{"geometry": {"type": "LineString", "coordinates": [[60, 181], [1, 1]]}}]}"#,
                "not longitude and latitude"
            ),
        ])
    func badStreets(text: String, reason: String) {
        let fault = #expect(throws: StreetsFile.Fault.self) { try streets(text) }
        #expect(fault?.description.contains(reason) == true)
    }

    @Test("A file that is not there is named")
    func missingFile() {
        let fault = #expect(throws: StreetsFile.Fault.self) { try StreetsFile(contentsOf: "/nowhere/streets.json") }
        #expect(fault?.description == "names /nowhere/streets.json, which cannot be read")
    }
}
