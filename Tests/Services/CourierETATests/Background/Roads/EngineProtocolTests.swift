import ArrivalEstimate
import Foundation
import OrderDomain
import Testing

@testable import CourierETA

@Suite("What road engines are asked, and answer")
struct EngineProtocolTests {
    private let from = EngineBodies.from
    private let to = EngineBodies.to

    private func osrm(_ text: String) throws -> RoadAnswer { try OSRMProtocol.answer(Data(text.utf8)) }

    private func valhalla(_ text: String) throws -> RoadAnswer {
        try ValhallaProtocol.answer(Data(text.utf8), from: from, to: to)
    }

    @Test("OSRM is asked longitude first, and answers metres and seconds")
    func osrmAnswer() throws {
        #expect(
            OSRMProtocol.path(from: from, to: Coordinate(latitude: -0.5, longitude: -70.000_001)!, profile: "bike")
                == "/route/v1/bike/8.395121,49.033246;-70.000001,-0.500000"
                + "?overview=false&steps=false&alternatives=false")
        let answer = try osrm(EngineBodies.osrmBicycle)
        #expect(answer.metres == 1_952 && answer.seconds == 521.9)
        #expect(abs(answer.snappedMetres - 60.58) < 0.01)
        try answer.checked(from: from, to: to)
    }

    @Test("Valhalla answers kilometres and seconds; its shape shows how far it snapped")
    func valhallaAnswer() throws {
        let question = try JSONSerialization.jsonObject(
            with: Data(ValhallaProtocol.request(from: from, to: to, costing: "bicycle").utf8))
        let asked = try #require(question as? [String: Any])
        #expect(asked["costing"] as? String == "bicycle" && asked["units"] as? String == "kilometers")
        #expect((asked["locations"] as? [[String: Double]])?.last == ["lat": 49.045, "lon": 8.4])
        let answer = try valhalla(EngineBodies.valhallaBicycle)
        #expect(answer.metres == 2_131 && answer.seconds == 444)
        // The same ends as OSRM's waypoints.
        #expect(abs(answer.snappedMetres - 60.58) < 0.5)
        try answer.checked(from: from, to: to)
        let miles = EngineBodies.valhallaBicycle.replacing("\"kilometers\"", with: "\"miles\"")
        #expect(try abs(valhalla(miles).metres - 3_429.5) < 0.1)
    }

    @Test("An engine that has no way says so, and is well")
    func noRoad() {
        #expect(throws: RoadFault.noRoad) { try osrm(EngineBodies.osrmNoRoute) }
        for code in [154, 170, 171, 442] {
            let body = EngineBodies.valhallaNoEdges.replacing(":171,", with: ":\(code),")
            #expect(throws: RoadFault.noRoad) { try valhalla(body) }
        }
        #expect(!RoadFault.noRoad.isOutage)
    }

    @Test(
        "What cannot be read is a failure, never a crash",
        arguments: [
            "", "[]", "{}", "null", "<html>", "{\"code\":\"Ok\"}", "{\"code\":\"Ok\",\"routes\":[],\"waypoints\":[]}",
            EngineBodies.osrmMalformed, EngineBodies.valhallaUnknownCosting,
            "{\"trip\":{\"legs\":[],\"summary\":{\"length\":1,\"time\":1}}}",
            "{\"trip\":{\"legs\":[{\"shape\":\"~\"}],\"summary\":{\"length\":1,\"time\":1}}}",
            "{\"trip\":{\"legs\":[{\"shape\":\"~~~~~~~~~~~~~~~~~~~~\"}],\"summary\":{\"length\":1,\"time\":1}}}",
            "{\"trip\":{\"legs\":[{\"shape\":\"?? \"}],\"summary\":{\"length\":1,\"time\":1}}}",
        ])
    func garbage(body: String) {
        #expect(throws: RoadFault.failed) { try osrm(body) }
        #expect(throws: RoadFault.failed) { try valhalla(body) }
        #expect(RoadFault.failed.isOutage)
    }

    @Test("An answer about other places is told from its snapped ends")
    func snapped() throws {
        let answer = try osrm(EngineBodies.osrmCar)
        #expect(throws: RoadFault.snappedTooFar) { try answer.checked(from: from, to: to) }
    }

    static let wrongAnswers: [(Double, Double)] = [
        (-1, 100), (.nan, 100), (.infinity, 100), (500, 100), (9_000, 900), (1_952, -1), (1_952, .nan), (2_000, 10),
    ]

    @Test(
        "No road is shorter than its line, five times as long, or ridden at 200 km/h",
        arguments: EngineProtocolTests.wrongAnswers)
    func implausible(metres: Double, seconds: Double) {
        let answer = RoadAnswer(metres: metres, seconds: seconds, snappedMetres: 5)
        #expect(throws: RoadFault.implausible) { try answer.checked(from: from, to: to) }
    }

    @Test("No metres at all are no road, however near the places and however far the ends were snapped")
    func nothing() {
        let near = Coordinate(latitude: from.latitude + 0.002, longitude: from.longitude)!
        let answer = RoadAnswer(metres: 0, seconds: 0, snappedMetres: 140)
        #expect(throws: RoadFault.implausible) { try answer.checked(from: from, to: near) }
    }
}
