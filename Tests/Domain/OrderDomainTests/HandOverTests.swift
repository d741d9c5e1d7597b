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

    /// A report of a provider that has not had the delivery before.
    private func takeover(_ code: StatusCode?, at minute: Double, by courier: Courier?) throws -> DeliveryChange {
        .report(
            ProviderReport(
                source: try #require(ProviderID(rawValue: "doordash")), sourceName: "DoorDash", id: "\(minute)",
                kind: code?.rawValue ?? "named", status: code, courier: courier, occurredAt: minutes(minute),
                receivedAt: minutes(minute)))
    }

    @Test(
        "A provider that takes goods over from the shop's own courier has them once its courier reports the pickup",
        arguments: [TailStatus.enRoute, .atDoor])
    func movedToProvider(tail: TailStatus) throws {
        let codes: [StatusCode?] = [.assigned, .atStore, nil]
        for code in codes {
            var delivery = try delivery(in: .handedOver(tail))
            #expect(try delivery.apply(takeover(code, at: 2, by: ben), at: minutes(2)))
            #expect(delivery.courier == ben && delivery.fetchedFrom == anna && delivery.status == .handedOver(.enRoute))
            for milestone in [Milestone.leftStore, .arriving, .atDoor] {
                let reached = DeliveryChange.milestone(milestone, assignmentEpoch: delivery.assignmentEpoch)
                #expect(try !delivery.apply(reached, at: minutes(3)))
            }
            // The provider gives it to another courier of its own, who has not fetched it either.
            var next = delivery
            _ = try next.apply(takeover(.assigned, at: 4, by: cora), at: minutes(4))
            #expect(next.courier == cora && next.fetchedFrom == anna)
            #expect(try delivery.apply(takeover(.pickedUp, at: 5, by: ben), at: minutes(5)))
            #expect(delivery.fetchedFrom == nil && delivery.status == .handedOver(.enRoute))
            #expect(try delivery.apply(takeover(.atDoor, at: 6, by: ben), at: minutes(6)))
            #expect(delivery.status == .handedOver(.atDoor))
        }
    }

    @Test(
        "Both orders of a takeover's reports agree: what a report has its courier reach, that courier reaches",
        arguments: [StatusCode.pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning])
    func movedToProviderInAnyOrder(code: StatusCode) throws {
        // The courier may be named a moment after they have reached it, too.
        for assignedAt in [2.0, 4.5] {
            let reports = [try takeover(.assigned, at: assignedAt, by: ben), try takeover(code, at: 4, by: ben)]
            for tail in [TailStatus.pickedUp, .enRoute, .arriving, .atDoor] {
                let orders: [[DeliveryChange]] = [reports, reports.reversed()]
                let found = try orders.map { reports in
                    var one = try delivery(in: .handedOver(tail))
                    for report in reports { _ = try one.apply(report, at: minutes(5)) }
                    return one
                }
                #expect(found[0].status == found[1].status && found[0].fetchedFrom == found[1].fetchedFrom, "\(tail)")
                #expect(found.allSatisfy { $0.courier == ben && ($0.fetchedFrom == nil) == (code != .returning) })
                #expect(found.allSatisfy { $0.steppedBackAt == nil }, "no person has sent it back")
                let isApproach = code == .arriving || code == .atDoor
                #expect(!isApproach || found[0].status.code == code, "\(tail)")
            }
        }
    }

    @Test(
        "Where the provider withdraws before its courier has fetched the goods, they stay with the courier who has them",
        arguments: [StatusCode.cancelled, .failed, .unassigned])
    func withdrawn(code: StatusCode) throws {
        let assigned = try takeover(.assigned, at: 2, by: ben)
        let end = try takeover(code, at: 4, by: code == .unassigned ? nil : ben)
        for reports in [[assigned, end], [end, assigned]] {
            var delivery = try delivery(in: .handedOver(.enRoute))
            for report in reports { _ = try delivery.apply(report, at: minutes(5)) }
            #expect(delivery.courier == anna && delivery.fetchedFrom == nil && delivery.status == .handedOver(.enRoute))
            #expect(delivery.correctionsDue == nil && delivery.endedAt == nil)
            // The provider may have it again.
            _ = try delivery.apply(takeover(.assigned, at: 6, by: cora), at: minutes(6))
            #expect(delivery.courier == cora && delivery.fetchedFrom == anna)
        }
        var replaced = try delivery(in: .handedOver(.enRoute))
        for report in [assigned, try takeover(.assigned, at: 5, by: cora), end] {
            _ = try replaced.apply(report, at: minutes(6))
        }
        #expect(replaced.courier == cora && replaced.fetchedFrom == anna, "the provider has found another since")
    }

    @Test(
        "A provider that had fetched the goods before it withdrew has them, whichever of its reports is the last",
        arguments: [StatusCode.cancelled, .failed])
    func withdrawnAfterPickup(code: StatusCode) throws {
        let tail: TailStatus = code == .failed ? .failed : .returning
        let end = try takeover(code, at: 5, by: ben)
        let reports = [try takeover(.assigned, at: 2, by: ben), try takeover(.pickedUp, at: 4, by: ben), end]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            var delivery = try delivery(in: .handedOver(.enRoute))
            for index in order { _ = try delivery.apply(reports[index], at: minutes(6)) }
            #expect(delivery.status == .handedOver(tail) && delivery.statusSince == minutes(5), "\(order)")
            #expect(delivery.courier == ben && delivery.fetchedFrom == nil, "\(order)")
        }
        var unnamed = try delivery(in: .handedOver(.enRoute))
        for report in [end, try takeover(.pickedUp, at: 4, by: nil)] { _ = try unnamed.apply(report, at: minutes(6)) }
        #expect(unnamed.courier == anna && unnamed.status == .handedOver(.enRoute), "it names no courier")
    }

    @Test("Goods that the former courier has handed over by word are fetched by nobody")
    func movedToProviderTooLate() throws {
        var delivery = placedDelivery(proofs: [.pin])
        _ = try delivery.apply(.courier(anna), at: minutes(1))
        _ = try delivery.apply(.override(.atDoor, reason: "set up"), at: minutes(2))
        _ = try delivery.apply(.handedOverUnconfirmed, at: minutes(4))
        _ = try delivery.apply(takeover(.assigned, at: 3, by: ben), at: minutes(5))
        #expect(delivery.courier == ben && delivery.fetchedFrom == nil && delivery.status == .handedOver(.atDoor))
        #expect(delivery.proof?.handedOverAt == minutes(4))
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
