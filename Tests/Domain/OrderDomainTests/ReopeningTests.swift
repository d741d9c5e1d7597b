import OrderDomain
import Testing

@Suite("Reopening")
struct ReopeningTests {
    @Test("Only an operator's override leaves an end; it sets disputed and begins a new episode")
    func reopen() throws {
        var delivery = try delivery(in: .handedOver(.delivered))
        #expect(throws: ChangeRefusal.self) { try delivery.apply(.status(.enRoute, reason: nil), at: minutes(1)) }
        #expect(try delivery.apply(.override(.enRoute, reason: "wrong door"), at: minutes(1)))
        #expect(delivery.status == .handedOver(.enRoute) && delivery.flags == [.disputed])
        #expect(delivery.episode == 2 && delivery.endedAt == nil && delivery.courier == anna)
        #expect(delivery.reopenedFrom == .delivered)
        _ = try delivery.apply(.status(.delivered, reason: nil), at: minutes(2))
        #expect(delivery.flags == [.disputed] && delivery.episode == 2 && delivery.endedAt == minutes(2))
    }

    @Test("Of a hand-over that is taken back no proof and no word of the customer's is left")
    func mistaken() throws {
        var delivery = placedDelivery(proofs: [.age])
        _ = try delivery.apply(.courier(anna), at: minutes(1))
        _ = try delivery.apply(.override(.atDoor, reason: "set up"), at: minutes(2))
        _ = try delivery.apply(.age(isPassed: true), at: minutes(3), by: "courier anna")
        _ = try delivery.apply(.status(.delivered, reason: nil), at: minutes(4))
        _ = try delivery.apply(.feedback(.notHere, items: []), at: minutes(5))
        let ended = delivery
        #expect(try delivery.apply(.override(.enRoute, reason: "a wrong press"), at: minutes(6)))
        #expect(delivery.reopenedFrom == .delivered && delivery.disputedAt == nil && delivery.feedback == nil)
        #expect(delivery.missingProofs == [.age] && delivery.proof?.former?.map(\.kind) == [.age])
        #expect(DeliveryReversal(from: ended, to: delivery)(delivery) == ended)
    }

    @Test("Another end corrects the record in the same episode; the same one is no change")
    func correctedEnd() throws {
        var delivery = try delivery(in: .handedOver(.delivered))
        #expect(try !delivery.apply(.override(.delivered, reason: "again"), at: minutes(1)))
        #expect(try delivery.apply(.override(.failed, reason: "stolen"), at: minutes(2)))
        #expect(delivery.episode == 1 && delivery.endedAt == minutes(2) && delivery.flags == [.disputed])
        #expect(delivery.reopenedFrom == nil, "the episode is the first")
    }

    @Test("Back in the store it has no courier, its card starts again, and what was cancelled can be picked")
    func backInStore() throws {
        var delivery = placedDelivery()
        _ = try delivery.apply(.status(.accepted, reason: nil), at: minutes(1))
        _ = try delivery.apply(.status(.picking, reason: nil), at: minutes(2))
        _ = try delivery.apply(.courier(anna), at: minutes(3))
        _ = try delivery.apply(.status(.cancelled, reason: "a slip"), at: minutes(4))
        #expect(try delivery.apply(.override(.accepted, reason: "it was a slip"), at: minutes(5)))
        #expect(delivery.status == .preparing(.accepted, .unassigned))
        #expect(delivery.courier == nil && delivery.assignmentEpoch == 2 && delivery.pickingSince == nil)
        #expect(try delivery.apply(.item(milk, .found(quantity: 2)), at: minutes(6)))
    }

    @Test("A delivery whose promise was moved stays rescheduled")
    func keepsRescheduled() throws {
        var delivery = placedDelivery()
        _ = try delivery.apply(.promise(promise(100, 130)), at: minutes(1))
        _ = try delivery.apply(.status(.cancelled, reason: nil), at: minutes(2))
        _ = try delivery.apply(.override(.placed, reason: "a slip"), at: minutes(3))
        #expect(delivery.flags == [.rescheduled, .disputed])
    }

    @Test("A hand-over may be a mistake for two hours, and no other end is one", arguments: DeliveryStatus.all)
    func mistakable(status: DeliveryStatus) throws {
        let delivery = try delivery(in: status)
        let isDelivered = status == .handedOver(.delivered)
        #expect(delivery.isMistakable(at: minutes(119)) == isDelivered)
        #expect(!delivery.isMistakable(at: minutes(121)))
    }

    @Test("A hand-over by the courier's word may be a mistake for two hours from its confirmation")
    func mistakenConfirmation() throws {
        var delivery = placedDelivery(proofs: [.pin])
        _ = try delivery.apply(.courier(anna), at: start)
        _ = try delivery.apply(.override(.atDoor, reason: "set up"), at: start)
        _ = try delivery.apply(.handedOverUnconfirmed, at: start)
        _ = try delivery.apply(.override(.delivered, reason: "a call"), at: minutes(180))
        #expect(delivery.status == .handedOver(.delivered) && delivery.endedAt == start)
        #expect(delivery.isMistakable(at: minutes(181)) && !delivery.isMistakable(at: minutes(301)))
        #expect(try delivery.apply(.override(.atDoor, reason: "a wrong press"), at: minutes(182)))
        #expect(delivery.proof?.confirmedAt == nil)
    }

    @Test("A courier's code alone reopens nothing")
    func courierCode() throws {
        var delivery = try delivery(in: .handedOver(.failed))
        #expect(throws: ChangeRefusal.cannotReopen(.atStore)) {
            try delivery.apply(.override(.atStore, reason: "?"), at: minutes(1))
        }
    }
}

@Suite("Assignment")
struct AssignmentTests {
    @Test("Each assignment is a new epoch; the same courier with a new phone is not")
    func epochs() throws {
        var delivery = placedDelivery()
        #expect(delivery.assignmentEpoch == 0)
        #expect(try delivery.apply(.courier(anna), at: minutes(1)))
        #expect(delivery.assignmentEpoch == 1 && delivery.status == .preparing(.placed, .assigned))
        #expect(try !delivery.apply(.courier(anna), at: minutes(2)))
        let moved = Courier(id: anna.id, name: "Anna", vehicle: .car, phone: nil)
        #expect(try delivery.apply(.courier(moved), at: minutes(3)))
        #expect(delivery.assignmentEpoch == 1)
        #expect(try delivery.apply(.status(.unassigned, reason: "ill"), at: minutes(4)))
        #expect(delivery.flags == [.reassigning] && delivery.courier == nil && delivery.reason == "ill")
        #expect(delivery.assignmentEpoch == 2)
        #expect(try delivery.apply(.courier(ben), at: minutes(5)))
        #expect(delivery.flags.isEmpty && delivery.assignmentEpoch == 3)
    }

    @Test("After pickup the courier can be replaced but not taken off")
    func replacement() throws {
        var delivery = try delivery(in: .handedOver(.enRoute))
        #expect(throws: ChangeRefusal.self) { try delivery.apply(.courier(nil), at: minutes(1)) }
        #expect(try delivery.apply(.courier(ben), at: minutes(1)))
        #expect(delivery.status == .handedOver(.enRoute) && delivery.assignmentEpoch == 2)
        var ended = try OrderDomainTests.delivery(in: .handedOver(.delivered))
        #expect(throws: ChangeRefusal.tooLate("the delivery has ended")) {
            try ended.apply(.courier(ben), at: minutes(1))
        }
        #expect(throws: ChangeRefusal.tooLate("the delivery has ended")) {
            try ended.apply(.courier(nil), at: minutes(1))
        }
    }

    @Test("A milestone of a former assignment changes nothing", arguments: Milestone.allCases)
    func formerEpoch(milestone: Milestone) throws {
        var delivery = try delivery(in: .handedOver(.pickedUp))
        _ = try delivery.apply(.courier(ben), at: minutes(1))
        let before = delivery
        #expect(try !delivery.apply(.milestone(milestone, assignmentEpoch: 1), at: minutes(2)))
        #expect(delivery == before)
    }

    @Test("A milestone at another door than the delivery's changes nothing, one at its own moves it")
    func formerDoor() throws {
        var delivery = try delivery(in: .handedOver(.enRoute))
        let before = delivery
        let former = try #require(
            Coordinate(latitude: delivery.door.latitude + 0.01, longitude: delivery.door.longitude))
        #expect(
            try !delivery.apply(.milestone(.atDoor, assignmentEpoch: 1, door: former), at: minutes(2)))
        #expect(delivery == before)
        #expect(
            try delivery.apply(.milestone(.atDoor, assignmentEpoch: 1, door: delivery.door), at: minutes(2)))
    }

    @Test(
        "A milestone about another promise than the delivery's changes nothing, nor does a repeat of it",
        arguments: [Milestone.late, .onTime])
    func formerPromise(milestone: Milestone) throws {
        var delivery = try delivery(in: .handedOver(.enRoute))
        let former = delivery.promise.end
        #expect(try delivery.apply(.promise(promise(90, 120)), at: minutes(1)))
        if milestone == .onTime { _ = try delivery.apply(.milestone(.late, assignmentEpoch: 1), at: minutes(2)) }
        let before = delivery
        for time in [3.0, 4] {
            #expect(
                try !delivery.apply(.milestone(milestone, assignmentEpoch: 1, promiseEnd: former), at: minutes(time)))
        }
        #expect(delivery == before)
        let present = delivery.promise.end
        #expect(try delivery.apply(.milestone(milestone, assignmentEpoch: 1, promiseEnd: present), at: minutes(5)))
        #expect(delivery.flags.contains(.delayed) == (milestone == .late))
    }

    /// The status that a milestone moves each status to; the others stay.
    static let moves: [(Milestone, String, StatusCode)] = [
        (.nearStore, "placed assigned", .toStore), (.nearStore, "staged assigned", .toStore),
        (.leftStore, "picked_up", .enRoute),
        (.arriving, "picked_up", .arriving), (.arriving, "en_route", .arriving),
        (.atDoor, "picked_up", .atDoor), (.atDoor, "en_route", .atDoor), (.atDoor, "arriving", .atDoor),
    ]

    @Test("A milestone only ever moves a status forwards", arguments: Milestone.allCases)
    func milestones(milestone: Milestone) throws {
        for status in DeliveryStatus.all {
            var delivery = try delivery(in: status)
            let epoch = delivery.assignmentEpoch
            _ = try delivery.apply(.milestone(milestone, assignmentEpoch: epoch), at: minutes(1))
            let name = TransitionMatrixTests.name(status)
            let isAssigned = status.courierStatus == .assigned
            let move = Self.moves.first { $0.0 == milestone && $0.1 == name }?.2
            if let move {
                #expect(delivery.status.code == move || delivery.status.courierStatus?.code == move)
            } else if milestone == .nearStore, isAssigned {
                #expect(delivery.status.courierStatus == .toStore)
            } else {
                #expect(delivery.status == status)
            }
            if status.isEnded { #expect(delivery.flags.isEmpty) }
        }
    }

    @Test("Arriving and at the door are for the courier's next stop only")
    func nextStopOnly() throws {
        var delivery = try delivery(in: .handedOver(.enRoute))
        #expect(try delivery.apply(.stopsBefore(1), at: minutes(1)))
        #expect(delivery.flags == [.batched])
        #expect(try !delivery.apply(.milestone(.arriving, assignmentEpoch: 1), at: minutes(2)))
        #expect(try !delivery.apply(.milestone(.atDoor, assignmentEpoch: 1), at: minutes(2)))
        #expect(try delivery.apply(.stopsBefore(0), at: minutes(3)))
        #expect(delivery.flags.isEmpty)
        #expect(try delivery.apply(.milestone(.arriving, assignmentEpoch: 1), at: minutes(4)))
    }

    @Test("Silent and heard, late and on time set and clear their flags")
    func flags() throws {
        var delivery = try delivery(in: .handedOver(.enRoute))
        #expect(try delivery.apply(.milestone(.silent, assignmentEpoch: 1), at: minutes(1)))
        #expect(try delivery.apply(.milestone(.late, assignmentEpoch: 1), at: minutes(1)))
        #expect(delivery.flags == [.courierSilent, .delayed])
        var passed = delivery
        #expect(try !passed.apply(.milestone(.onTime, assignmentEpoch: 1), at: passed.promise.end))
        #expect(passed.flags.contains(.delayed), "it was measured before the promise's end")
        #expect(try delivery.apply(.milestone(.reporting, assignmentEpoch: 1), at: minutes(2)))
        #expect(try delivery.apply(.milestone(.onTime, assignmentEpoch: 1), at: minutes(2)))
        #expect(delivery.flags.isEmpty)
    }
}
