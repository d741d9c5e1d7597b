import Foundation
import OrderDomain
import Testing

@Suite("Substitutions")
struct SubstitutionTests {
    private func proposed() throws -> Delivery {
        var delivery = try delivery(in: .preparing(.picking, .unassigned))
        #expect(try delivery.apply(.item(milk, .proposed(oatMilk, answerUntil: minutes(10))), at: minutes(1)))
        return delivery
    }

    @Test("A proposal waits for the customer until a deadline, and orders writes the activity meanwhile")
    func proposal() throws {
        let delivery = try proposed()
        #expect(delivery.flags == [.needsCustomer] && delivery.needsCustomerUntil == minutes(10))
        #expect(delivery.proposedItem?.id == milk && delivery.proposedItem?.proposals == 1)
        #expect(delivery.holder == .orders)
    }

    @Test("The same offer again is no change")
    func repeated() throws {
        var delivery = try proposed()
        #expect(try !delivery.apply(.item(milk, .proposed(oatMilk, answerUntil: minutes(30))), at: minutes(2)))
    }

    @Test("The same offer again is no change either once the customer has accepted it")
    func repeatedAfterAnswer() throws {
        var delivery = try proposed()
        _ = try delivery.apply(.answer(milk, proposal: 1, isApproved: true), at: minutes(2))
        #expect(try !delivery.apply(.item(milk, .proposed(oatMilk, answerUntil: minutes(30))), at: minutes(3)))
        #expect(delivery.items[0].status == .substituted && delivery.flags.isEmpty)
        #expect(try delivery.apply(.item(milk, .proposed(soyMilk, answerUntil: minutes(30))), at: minutes(4)))
        #expect(delivery.items[0].proposals == 2)
    }

    @Test("A promise with too little time left for an answer bounds no question", arguments: [29, 30])
    func lastSeconds(left: Int) throws {
        var delivery = try delivery(in: .preparing(.picking, .unassigned))
        let now = delivery.promise.end.addingTimeInterval(-Double(left))
        let proposal = DeliveryChange.item(milk, .proposed(oatMilk, answerUntil: now.addingTimeInterval(60)))
        if left < Promise.answerSecondsMin {
            #expect(try delivery.apply(proposal, at: now))
            #expect(delivery.needsCustomerUntil == now.addingTimeInterval(60))
        } else {
            #expect(throws: ChangeRefusal.answerAfterPromise(delivery.promise.end)) {
                try delivery.apply(proposal, at: now)
            }
        }
    }

    @Test("A substitute of the store's own, which the customer never saw, is a question once it is proposed")
    func ownSubstitute() throws {
        var delivery = try delivery(in: .preparing(.picking, .unassigned))
        _ = try delivery.apply(.item(milk, .substituted(oatMilk)), at: minutes(1))
        #expect(delivery.items[0].status == .substituted && delivery.items[0].proposals == 0)
        #expect(try delivery.apply(.item(milk, .proposed(oatMilk, answerUntil: minutes(10))), at: minutes(2)))
        #expect(delivery.proposedItem?.id == milk && delivery.flags == [.needsCustomer])
    }

    private static let dearer = Substitute(name: oatMilk.name, quantity: 2, priceDifferenceMinorUnits: 90)

    @Test(
        "A substitute that the store packs without an open or accepted question about it is a question once proposed",
        arguments: [
            ([.answer(milk, proposal: 1, isApproved: true)], dearer), ([], dearer),
            ([.item(milk, .found(quantity: 2))], oatMilk),
            ([.item(milk, .proposed(soyMilk, answerUntil: minutes(10)))], oatMilk),
        ] as [([DeliveryChange], Substitute)])
    func unasked(between: [DeliveryChange], packed: Substitute) throws {
        var delivery = try proposed()
        for change in between { #expect(try delivery.apply(change, at: minutes(2))) }
        let asked = delivery.items[0].proposals
        #expect(try delivery.apply(.item(milk, .substituted(packed)), at: minutes(3)))
        #expect(try !delivery.apply(.item(milk, .substituted(packed)), at: minutes(4)))
        #expect(delivery.items[0].hasUnaskedSubstitute == true && delivery.flags.isEmpty)
        #expect(try delivery.apply(.item(milk, .proposed(packed, answerUntil: minutes(10))), at: minutes(5)))
        #expect(delivery.proposedItem?.proposals == asked + 1 && delivery.flags == [.needsCustomer])
        _ = try delivery.apply(.answer(milk, proposal: asked + 1, isApproved: true), at: minutes(6))
        #expect(try !delivery.apply(.item(milk, .proposed(packed, answerUntil: minutes(10))), at: minutes(7)))
        #expect(delivery.items[0].hasUnaskedSubstitute == nil)
    }

    @Test("An offer in place of another has its own deadline, also an earlier one")
    func earlierDeadline() throws {
        var delivery = try proposed()
        _ = try delivery.apply(.item(milk, .proposed(soyMilk, answerUntil: minutes(3))), at: minutes(2))
        #expect(delivery.needsCustomerUntil == minutes(3))
    }

    @Test(
        "An answer settles the item; the same answer again is no change, the other one comes too late",
        arguments: [true, false])
    func answers(isApproved: Bool) throws {
        var delivery = try proposed()
        #expect(try delivery.apply(.answer(milk, proposal: 1, isApproved: isApproved), at: minutes(2)))
        #expect(delivery.items[0].status == (isApproved ? .substituted : .refunded))
        #expect(delivery.flags.isEmpty && delivery.needsCustomerUntil == nil)
        #expect(delivery.foundCount == (isApproved ? 2 : 0))
        #expect(try !delivery.apply(.answer(milk, proposal: 1, isApproved: isApproved), at: minutes(3)))
        #expect(throws: ChangeRefusal.self) {
            try delivery.apply(.answer(milk, proposal: 1, isApproved: !isApproved), at: minutes(3))
        }
    }

    @Test("An answer to a former proposal is stale, and its timeout changes nothing")
    func stale() throws {
        var delivery = try proposed()
        _ = try delivery.apply(.item(milk, .proposed(soyMilk, answerUntil: minutes(20))), at: minutes(2))
        #expect(throws: ChangeRefusal.staleProposal(milk)) {
            try delivery.apply(.answer(milk, proposal: 1, isApproved: true), at: minutes(3))
        }
        #expect(try !delivery.apply(.answerOverdue(milk, proposal: 1), at: minutes(10)))
        #expect(try delivery.apply(.answerOverdue(milk, proposal: 2), at: minutes(20)))
        #expect(delivery.items[0].status == .refunded && delivery.flags.isEmpty)
    }

    @Test("needs_customer stays until the last proposal is answered, with the latest deadline")
    func twoProposals() throws {
        var delivery = try proposed()
        let quail = Substitute(name: "Quail eggs", quantity: 10, priceDifferenceMinorUnits: 200)
        _ = try delivery.apply(.item(eggs, .proposed(quail, answerUntil: minutes(8))), at: minutes(2))
        #expect(delivery.needsCustomerUntil == minutes(10))
        _ = try delivery.apply(.answer(milk, proposal: 1, isApproved: true), at: minutes(3))
        #expect(delivery.flags == [.needsCustomer] && delivery.proposedItem?.id == eggs)
        _ = try delivery.apply(.item(eggs, .found(quantity: 10)), at: minutes(4))
        #expect(delivery.flags.isEmpty)
    }

    @Test("Pickup closes the bag: a proposal is refunded, an item that was never reported counts as found")
    func pickup() throws {
        var delivery = try proposed()
        _ = try delivery.apply(.courier(anna), at: minutes(2))
        #expect(try delivery.apply(.status(.pickedUp, reason: nil), at: minutes(3)))
        #expect(delivery.items.map(\.status) == [.refunded, .found])
        #expect(delivery.flags.isEmpty && delivery.holder == .courierETA)
        #expect(throws: ChangeRefusal.notInStore) { try delivery.apply(.item(eggs, .outOfStock), at: minutes(4)) }
        #expect(try !delivery.apply(.answer(milk, proposal: 1, isApproved: false), at: minutes(4)))
        #expect(throws: ChangeRefusal.notInStore) {
            try delivery.apply(.answer(milk, proposal: 1, isApproved: true), at: minutes(4))
        }
    }

    @Test("A cancel refunds the open proposal")
    func cancelled() throws {
        var delivery = try proposed()
        _ = try delivery.apply(.status(.cancelled, reason: nil), at: minutes(2))
        #expect(delivery.items.map(\.status) == [.refunded, .pending] && delivery.flags.isEmpty)
    }

    @Test("Found counts the pieces in the bag, from none to the quantity ordered")
    func found() throws {
        var delivery = try delivery(in: .preparing(.picking, .unassigned))
        for (quantity, status) in [(10, ItemStatus.found), (4, .short), (0, .outOfStock)] {
            #expect(try delivery.apply(.item(eggs, .found(quantity: quantity)), at: minutes(1)))
            #expect(delivery.items[1].status == status && delivery.foundCount == quantity)
        }
        for quantity in [-1, 11, Int.max] {
            #expect(throws: ChangeRefusal.wrongQuantity(eggs, ordered: 10)) {
                try delivery.apply(.item(eggs, .found(quantity: quantity)), at: minutes(1))
            }
        }
        #expect(throws: ChangeRefusal.unknownItem(itemID("bread"), known: delivery.items.map(\.id))) {
            try delivery.apply(.item(itemID("bread"), .outOfStock), at: minutes(1))
        }
    }

    @Test("An item that was removed or refunded stays so", arguments: [ItemChange.removed, .refunded])
    func settled(change: ItemChange) throws {
        var delivery = try delivery(in: .preparing(.picking, .unassigned))
        #expect(try delivery.apply(.item(milk, change), at: minutes(1)))
        #expect(try !delivery.apply(.item(milk, change), at: minutes(2)))
        for later: ItemChange in [.found(quantity: 2), .outOfStock, .proposed(oatMilk, answerUntil: start)] {
            #expect(throws: ChangeRefusal.self) { try delivery.apply(.item(milk, later), at: minutes(2)) }
        }
    }
}
