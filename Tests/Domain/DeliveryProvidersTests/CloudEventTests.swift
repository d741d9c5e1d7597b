import DeliveryProviders
import Foundation
import OrderDomain
import ProviderSamples
import Testing

@Suite("CloudEvents")
struct CloudEventTests {
    private let received = start.addingTimeInterval(7_200)

    private func event(_ rest: String, type: String = "doorstep.delivery.status") throws -> ProviderEvent {
        let body = #"{"specversion":"1.0","id":"1","source":"s","type":"\#(type)","subject":"d",\#(rest)}"#
        return try #require(
            try DeliveryProvider.cloudEvents.events(in: Data(body.utf8), receivedAt: received, from: "velo").first
        ).get()
    }

    @Test("A batch of CloudEvents is all of them, and one too large is refused")
    func batches() throws {
        let bodies = ProviderLife(of: .cloudEvents, from: start).bodies
        let batch = "[" + bodies.joined(separator: ",") + "]"
        let events = try DeliveryProvider.cloudEvents.events(
            in: Data(batch.utf8), receivedAt: received, from: "velo")
        #expect(events.count == bodies.count)
        let faulty = #"[{"specversion":"1.0","id":"1","source":"s","type":"doorstep.delivery.late"},"# + bodies[0] + "]"
        let mixed = try DeliveryProvider.cloudEvents.events(
            in: Data(faulty.utf8), receivedAt: received, from: "velo")
        #expect(throws: UnreadableBody.self) { _ = try mixed[0].get() }
        #expect(try mixed[1].get().isKnown)
        let large = "[" + Array(repeating: bodies[0], count: 101).joined(separator: ",") + "]"
        #expect(throws: UnreadableBody.self) {
            try DeliveryProvider.cloudEvents.events(in: Data(large.utf8), receivedAt: received, from: "velo")
        }
    }

    @Test("Data in base64 is read as data is; where it cannot be, an event about a delivery is refused")
    func base64() throws {
        let data = #"{"status":"en_route","courier":{"id":"sam","name":"Sam"},"occurredAt":"2026-11-21T18:06:00Z"}"#
        let text = Data(data.utf8).base64EncodedString()
        let report = try #require(try event(#""data":\#(data)"#).report)
        #expect(report.status == .enRoute && report.courier?.name == "Sam")
        #expect(try event(#""data_base64":"\#(text)""#).report == report)
        #expect(try event(#""data":null,"data_base64":"\#(text)""#).report == report)
        for fault in ["en_route", Data("en route".utf8).base64EncodedString()] {
            #expect(throws: UnreadableBody.self) { try event(#""data_base64":"\#(fault)""#) }
            #expect(try !event(#""data_base64":"\#(fault)""#, type: "x").isKnown)
        }
    }
}
