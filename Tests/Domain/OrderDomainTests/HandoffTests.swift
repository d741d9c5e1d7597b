import Foundation
import OrderDomain
import Testing

@Suite("Handoff, questions and disputes")
struct HandoffTests {
    @Test("Leaving at the door can be taken back until pickup, and each change is counted")
    func withdrawn() throws {
        var delivery = try delivery(in: .preparing(.picking, .assigned))
        #expect(delivery.handoffChanges == nil)
        #expect(try !delivery.apply(.handToCustomer, at: minutes(1)), "it is to be handed over already")
        for change in 1...3 {
            let wanted: DeliveryChange = change % 2 == 1 ? .leaveAtDoor : .handToCustomer
            let before = delivery
            #expect(try delivery.apply(wanted, at: minutes(Double(change))))
            #expect(delivery.handoffChanges == change)
            #expect(DeliveryReversal(from: before, to: delivery)(delivery) == before)
        }
        #expect(delivery.handoff.method == .leaveAtDoor)
        _ = try delivery.apply(.status(.pickedUp, reason: nil), at: minutes(4))
        #expect(throws: ChangeRefusal.self) { try delivery.apply(.handToCustomer, at: minutes(5)) }
        #expect(delivery.handoff.method == .leaveAtDoor)
    }

    @Test("A question's deadline is not after the end of the promise, unless that has passed")
    func deadline() throws {
        var delivery = try delivery(in: .preparing(.picking, .unassigned))
        let end = delivery.promise.end
        #expect(throws: ChangeRefusal.answerAfterPromise(end)) {
            try delivery.apply(.item(milk, .proposed(oatMilk, answerUntil: end.addingTimeInterval(1))), at: minutes(1))
        }
        #expect(delivery.proposedItem == nil)
        #expect(try delivery.apply(.item(milk, .proposed(oatMilk, answerUntil: end)), at: minutes(1)))
        let late = end.addingTimeInterval(60)
        #expect(
            try delivery.apply(.item(milk, .proposed(soyMilk, answerUntil: late.addingTimeInterval(600))), at: late))
    }

    @Test("A dispute is open until an operator decides: that it ended so, that it ended otherwise, or that it goes on")
    func openDispute() throws {
        var disputed = try OrderDomainTests.delivery(in: .handedOver(.delivered))
        _ = try disputed.apply(.dispute(reason: "the wrong door"), at: minutes(9))
        #expect(disputed.disputedAt == minutes(9))
        for code in [StatusCode.delivered, .failed, .enRoute] {
            var decided = disputed
            #expect(try decided.apply(.override(code, reason: "called"), at: minutes(20)))
            #expect(decided.status.code == code && decided.disputedAt == nil)
            #expect(decided.flags.contains(.disputed) == (code != .delivered), "what was as reported is not disputed")
            #expect(decided.reason == "called" && decided.version == disputed.version + 1)
            guard code == .delivered else { continue }
            #expect(decided.endedAt == disputed.endedAt && decided.episode == 1)
            #expect(try !decided.apply(.override(code, reason: "again"), at: minutes(21)))
        }
        #expect(try !disputed.apply(.status(.delivered, reason: nil), at: minutes(20)), "nobody else decides")
    }

    @Test("A dispute flags an ended delivery and reverses nothing; a live one is not disputed")
    func dispute() throws {
        var delivery = try delivery(in: .handedOver(.delivered))
        let before = delivery
        #expect(try delivery.apply(.dispute(reason: "the wrong door"), at: minutes(9)))
        #expect(delivery.flags == before.flags.union([.disputed]) && delivery.reason == "the wrong door")
        #expect(delivery.status == before.status && delivery.endedAt == before.endedAt)
        #expect(delivery.episode == before.episode)
        #expect(try !delivery.apply(.dispute(reason: "the wrong door"), at: minutes(10)))
        var live = try self.delivery(in: .handedOver(.atDoor))
        #expect(throws: ChangeRefusal.self) { try live.apply(.dispute(reason: "?"), at: minutes(1)) }
    }

    private func delivery(in status: DeliveryStatus) throws -> Delivery { try OrderDomainTests.delivery(in: status) }
}
