import Foundation
import OrderDomain
import Testing

@Suite("Reports from before a person sent the delivery back")
struct StepBackTests {
    private func report(_ status: StatusCode, at: Double) throws -> DeliveryChange {
        .report(
            ProviderReport(
                source: try #require(ProviderID(rawValue: "doordash")), sourceName: "DoorDash", id: "\(status)-\(at)",
                kind: status.rawValue, status: status, courier: nil, occurredAt: minutes(at),
                receivedAt: minutes(30)))
    }

    @Test("A late report of a former attempt does not undo the next one", arguments: [TailStatus.enRoute, .atDoor])
    func attempt(next: TailStatus) throws {
        var delivery = try delivery(in: .handedOver(.attempted))
        #expect(try delivery.apply(.status(next.code, reason: nil), at: minutes(10)))
        for code in [StatusCode.enRoute, .arriving, .atDoor, .attempted] {
            #expect(try !delivery.apply(report(code, at: 4), at: minutes(30)), "\(code)")
        }
        #expect(delivery.status == .handedOver(next) && delivery.statusSince == minutes(10))
        for code in [StatusCode.returning, .delivered] {
            var ended = delivery
            #expect(try ended.apply(report(code, at: 4), at: minutes(30)))
            #expect(ended.status.code == code)
        }
        #expect(try delivery.apply(report(.attempted, at: 11), at: minutes(30)))
        #expect(delivery.status == .handedOver(.attempted) && delivery.statusSince == minutes(11))
    }

    @Test("A late report does not pack a bag that was opened again, and the way to the door goes on by any report")
    func bag() throws {
        var delivery = try delivery(in: .preparing(.staged, .atStore))
        #expect(try delivery.apply(.status(.picking, reason: nil), at: minutes(20)))
        #expect(try !delivery.apply(report(.staged, at: 18), at: minutes(30)))
        #expect(delivery.status == .preparing(.picking, .atStore))
        var packed = delivery
        #expect(try packed.apply(report(.staged, at: 21), at: minutes(30)))
        #expect(packed.status == .preparing(.staged, .atStore))
        #expect(try delivery.apply(report(.pickedUp, at: 18), at: minutes(30)))
        #expect(try delivery.apply(report(.arriving, at: 19), at: minutes(30)))
        #expect(delivery.status == .handedOver(.arriving))
    }
}
