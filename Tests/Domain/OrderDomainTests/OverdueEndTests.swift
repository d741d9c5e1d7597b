import Foundation
import OrderDomain
import Testing

@Suite("Ends that a provider reports more than twelve hours late")
struct OverdueEndTests {
    private static let ends: [StatusCode] = [.delivered, .returned, .cancelled, .failed]

    private func report(_ end: StatusCode, at: Double) throws -> DeliveryChange {
        .report(
            ProviderReport(
                source: try #require(ProviderID(rawValue: "doordash")), sourceName: "DoorDash", id: "\(end)-\(at)",
                kind: end.rawValue, status: end, occurredAt: minutes(at), receivedAt: minutes(1_000)))
    }

    /// The delivery after reports of one end, from a thousand minutes after the order on.
    private func delivery(after end: StatusCode, at times: [Double]) throws -> Delivery {
        var delivery = placedDelivery()
        for (index, at) in times.enumerated() {
            _ = try delivery.apply(report(end, at: at), at: minutes(1_000 + Double(index)))
        }
        return delivery
    }

    @Test("A second report of the end moves it back no further than the first", arguments: ends)
    func repeated(end: StatusCode) throws {
        for times: [Double] in [[40, 41], [41, 40], [40, 40, 39]] {
            let found = try delivery(after: end, at: times)
            #expect(found.status.code == end)
            #expect(found.endedAt == minutes(1_000) && found.statusSince == minutes(1_000), "\(times)")
        }
    }

    @Test("An end of the last twelve hours stands beside older reports of it, in any order", arguments: ends)
    func anyOrder(end: StatusCode) throws {
        for times: [Double] in [[40, 900, 41], [900, 40, 41], [40, 41, 900], [900, 950, 40]] {
            let found = try delivery(after: end, at: times)
            #expect(found.endedAt == minutes(900) && found.statusSince == minutes(900), "\(times)")
        }
    }
}
