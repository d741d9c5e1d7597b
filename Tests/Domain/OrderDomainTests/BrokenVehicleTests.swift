import Foundation
import OrderDomain
import Testing

@Suite("A delivery that its courier's broken vehicle holds")
struct BrokenVehicleTests {
    private let vehicle = CourierProblem.vehicle.reason
    private static let stages: [DeliveryStatus] = [
        .preparing(.staged, .atStore), .handedOver(.enRoute), .handedOver(.atDoor),
    ]

    /// Anna's, on hold.
    private func held(in status: DeliveryStatus, reason: String) throws -> Delivery {
        var held = try delivery(in: status)
        _ = try held.apply(.hold(reason: reason), at: minutes(1))
        return held
    }

    /// A provider's report that gives the delivery to Ben.
    private func assignment() throws -> DeliveryChange {
        .report(
            ProviderReport(
                source: try #require(ProviderID(rawValue: "doordash")), sourceName: "DoorDash", id: "assigned",
                kind: "assigned", status: .assigned, courier: ben, occurredAt: minutes(2), receivedAt: minutes(2)))
    }

    @Test("A provider's courier who takes it over releases it, and no hold for another reason", arguments: stages)
    func reported(status: DeliveryStatus) throws {
        var delivery = try held(in: status, reason: vehicle)
        #expect(try delivery.apply(assignment(), at: minutes(2)))
        #expect(delivery.courier == ben && !delivery.flags.contains(.onHold) && delivery.reason == nil)
        _ = try delivery.apply(.courier(anna), at: minutes(3))
        #expect(delivery.flags.contains(.onHold) && delivery.reason == vehicle)
        var checked = try held(in: status, reason: "fraud check")
        #expect(try checked.apply(assignment(), at: minutes(2)))
        #expect(checked.courier == ben && checked.flags.contains(.onHold) && checked.reason == "fraud check")
    }

    @Test("Another courier releases it, and the same one has it on hold again", arguments: stages)
    func moved(status: DeliveryStatus) throws {
        var delivery = try held(in: status, reason: vehicle)
        _ = try delivery.apply(.courier(ben), at: minutes(2))
        #expect(!delivery.flags.contains(.onHold) && delivery.reason == nil)
        _ = try delivery.apply(.courier(anna), at: minutes(3))
        #expect(delivery.flags.contains(.onHold) && delivery.reason == vehicle)
        _ = try delivery.apply(.release, at: minutes(4))
        _ = try delivery.apply(.courier(ben), at: minutes(5))
        _ = try delivery.apply(.courier(anna), at: minutes(6))
        #expect(!delivery.flags.contains(.onHold), "a vehicle that was mended holds nothing")
    }

    @Test("Without a courier it waits on hold for the next one")
    func unassigned() throws {
        for removal in [DeliveryChange.courier(nil), .status(.unassigned, reason: "flat tyre")] {
            for (next, isHeld) in [(anna, true), (ben, false)] {
                var delivery = try held(in: .preparing(.staged, .atStore), reason: vehicle)
                _ = try delivery.apply(removal, at: minutes(2))
                #expect(delivery.flags.contains(.onHold) && delivery.reason == vehicle)
                _ = try delivery.apply(.courier(next), at: minutes(3))
                #expect(delivery.flags.contains(.onHold) == isHeld)
            }
        }
    }

    @Test("Another courier's vehicle may break down too")
    func twice() throws {
        var delivery = try held(in: .handedOver(.enRoute), reason: vehicle)
        _ = try delivery.apply(.courier(ben), at: minutes(2))
        _ = try delivery.apply(.hold(reason: vehicle), at: minutes(3))
        _ = try delivery.apply(.courier(anna), at: minutes(4))
        #expect(!delivery.flags.contains(.onHold), "an operator chose Anna, whose vehicle may be mended")
    }

    @Test("The courier's word for the hand-over releases it, and no hold for another reason")
    func handedOver() throws {
        let reasons = [(vehicle, false), (CourierProblem.damaged.reason, true), ("fraud check", true)]
        for code in [StatusCode.enRoute, .atDoor] {
            for (reason, isHeld) in reasons {
                var delivery = placedDelivery(proofs: [.photo])
                _ = try delivery.apply(.courier(anna), at: minutes(1))
                _ = try delivery.apply(.override(code, reason: "set up"), at: minutes(2))
                _ = try delivery.apply(.hold(reason: reason), at: minutes(3))
                #expect(try delivery.apply(.handedOverUnconfirmed, at: minutes(4)))
                #expect(delivery.status == .handedOver(.atDoor) && delivery.proof?.handedOverAt == minutes(4))
                #expect(delivery.flags.contains(.onHold) == isHeld, "\(code), \(reason)")
                #expect(delivery.reason == (isHeld ? reason : nil), "\(code)")
            }
        }
    }

    @Test("A hold for another reason stays", arguments: stages)
    func otherReason(status: DeliveryStatus) throws {
        for reason in ["fraud check", CourierProblem.damaged.reason] {
            var delivery = try held(in: status, reason: reason)
            _ = try delivery.apply(.courier(ben), at: minutes(2))
            #expect(delivery.flags.contains(.onHold) && delivery.reason == reason)
        }
    }
}
