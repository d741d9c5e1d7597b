import Foundation
import OrderDomain
import Testing

@Suite("A hand-over between two couriers")
struct HandOverTests {
    private let cora = Courier(id: courierID("cora"), name: "Cora", vehicle: .bicycle, phone: nil)

    /// Anna's, then Ben's.
    private func moved(in tail: TailStatus) throws -> Delivery {
        var moved = try delivery(in: .handedOver(tail))
        _ = try moved.apply(.courier(ben), at: minutes(1))
        return moved
    }

    @Test("Goods that are picked up stay with the former courier until the next one confirms to have them")
    func confirmed() throws {
        for tail in [TailStatus.pickedUp, .enRoute, .attempted, .returning] {
            var delivery = try moved(in: tail)
            #expect(delivery.courier == ben && delivery.fetchedFrom == anna && delivery.status == .handedOver(tail))
            #expect(try delivery.apply(.status(.pickedUp, reason: nil), at: minutes(2)))
            #expect(delivery.fetchedFrom == nil && delivery.status == .handedOver(tail))
        }
    }

    @Test("Goods that were near their door are on the way again", arguments: [TailStatus.arriving, .atDoor])
    func nearDoor(tail: TailStatus) throws {
        let delivery = try moved(in: tail)
        #expect(delivery.status == .handedOver(.enRoute) && delivery.formerApproaches == 1)
    }

    @Test("In the store there is nothing to hand over")
    func inStore() throws {
        var delivery = try delivery(in: .preparing(.staged, .atStore))
        _ = try delivery.apply(.courier(ben), at: minutes(1))
        #expect(delivery.fetchedFrom == nil && delivery.status == .preparing(.staged, .assigned))
    }

    @Test("A third courier fetches from whoever has the goods; back to that one there is nothing to fetch")
    func carrier() throws {
        var delivery = try moved(in: .enRoute)
        _ = try delivery.apply(.courier(cora), at: minutes(2))
        #expect(delivery.courier == cora && delivery.fetchedFrom == anna)
        _ = try delivery.apply(.courier(anna), at: minutes(3))
        #expect(delivery.courier == anna && delivery.fetchedFrom == nil)
    }

    @Test("No position confirms that the goods were fetched: without them nobody leaves the store or arrives")
    func positions() throws {
        var delivery = try moved(in: .pickedUp)
        let epoch = delivery.assignmentEpoch
        for milestone in [Milestone.leftStore, .arriving, .atDoor] {
            #expect(try !delivery.apply(.milestone(milestone, assignmentEpoch: epoch), at: minutes(2)))
        }
        #expect(delivery.status == .handedOver(.pickedUp) && delivery.fetchedFrom == anna)
        _ = try delivery.apply(.status(.pickedUp, reason: nil), at: minutes(3))
        #expect(try delivery.apply(.milestone(.leftStore, assignmentEpoch: epoch), at: minutes(4)))
        #expect(delivery.status == .handedOver(.enRoute))
    }

    @Test("A further status by a person ends it; a return may begin before it")
    func furtherStatus() throws {
        for code in [StatusCode.atDoor, .delivered] {
            var delivery = try moved(in: .enRoute)
            _ = try delivery.apply(.status(code, reason: nil), at: minutes(2))
            #expect(delivery.fetchedFrom == nil && delivery.status.code == code)
        }
        var cancelled = try moved(in: .enRoute)
        _ = try cancelled.apply(.status(.cancelled, reason: nil), at: minutes(2))
        #expect(cancelled.fetchedFrom == anna && cancelled.status == .handedOver(.returning))
    }

    @Test("A report that the present courier carries the goods ends it, also with a status that was reached before")
    func reported() throws {
        func report(_ code: StatusCode, by courier: Courier?) throws -> ProviderReport {
            ProviderReport(
                source: try #require(ProviderID(rawValue: "doordash")), sourceName: "DoorDash", id: code.rawValue,
                kind: code.rawValue, status: code, courier: courier, occurredAt: minutes(2), receivedAt: minutes(2))
        }
        for code in [StatusCode.pickedUp, .enRoute] {
            var delivery = try moved(in: .enRoute)
            #expect(try delivery.apply(.report(report(code, by: ben)), at: minutes(2)))
            #expect(delivery.courier == ben && delivery.fetchedFrom == nil && delivery.status == .handedOver(.enRoute))
        }
        let others: [(StatusCode, Courier?)] = [(.atStore, ben), (.pickedUp, nil)]
        for (code, courier) in others {
            var delivery = try moved(in: .enRoute)
            _ = try delivery.apply(.report(report(code, by: courier)), at: minutes(2))
            #expect(delivery.fetchedFrom == anna)
        }
    }

    @Test("The stops before may come with the courier")
    func stops() throws {
        var delivery = try delivery(in: .handedOver(.enRoute))
        _ = try delivery.apply(.courier(ben, stopsBefore: 3), at: minutes(1))
        #expect(delivery.stopsBefore == 3 && delivery.flags.contains(.batched))
        _ = try delivery.apply(.courier(cora), at: minutes(2))
        #expect(delivery.stopsBefore == 0)
    }
}
