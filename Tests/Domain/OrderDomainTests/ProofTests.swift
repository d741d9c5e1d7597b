import Foundation
import OrderDomain
import SeededRandom
import Testing

@Suite("Proof at the door")
struct ProofTests {
    func atDoor(
        _ proofs: Set<ProofKind>, ofEggs: [ProofKind]? = nil, barcode: String? = "NH-1042-1"
    ) throws -> Delivery {
        var delivery = placedDelivery(proofs: proofs, ofEggs: ofEggs, barcode: barcode)
        _ = try delivery.apply(.courier(anna), at: minutes(1))
        _ = try delivery.apply(.override(.pickedUp, reason: "set up"), at: minutes(2))
        _ = try delivery.apply(.status(.atDoor, reason: nil), at: minutes(3))
        return delivery
    }

    func report(
        _ code: StatusCode?, at minute: Double, id: String = "r", by courier: Courier? = nil, proofs: [ProofKind]? = nil
    ) throws -> ProviderReport {
        ProviderReport(
            source: try #require(ProviderID(rawValue: "uber")), sourceName: "Uber", id: id, kind: "event", status: code,
            courier: courier, occurredAt: minutes(minute), receivedAt: minutes(200), proofs: proofs)
    }

    @Test("A hand-over without its proof is refused by its name and changes nothing", arguments: ProofKind.allCases)
    func gate(kind: ProofKind) throws {
        var delivery = try atDoor([kind])
        let before = delivery
        #expect(throws: ChangeRefusal.proofMissing([kind])) {
            try delivery.apply(.status(.delivered, reason: nil), at: minutes(4))
        }
        #expect(delivery == before && delivery.missingProofs == [kind])
    }

    @Test("Goods that come back into the bag and need a person are not left at the door")
    func backInBag() throws {
        var delivery = placedDelivery(ofEggs: [.age])
        _ = try delivery.apply(.item(eggs, .outOfStock), at: minutes(1))
        _ = try delivery.apply(.leaveAtDoor, at: minutes(2))
        #expect(delivery.handoff.method == .leaveAtDoor)
        _ = try delivery.apply(.item(milk, .found(quantity: 2)), at: minutes(3))
        #expect(delivery.handoff.method == .leaveAtDoor)
        _ = try delivery.apply(.item(eggs, .found(quantity: 10)), at: minutes(4))
        #expect(delivery.handoff.method == .handToCustomer && delivery.handoffChanges == 2)
    }

    @Test("An operator waives what is missing with a reason, which is on record with its author")
    func waived() throws {
        var delivery = try atDoor([.photo, .pin])
        _ = try delivery.apply(.pin(isRight: true), at: minutes(4), by: "courier anna")
        #expect(
            try delivery.apply(
                .override(.delivered, reason: "the shop called the customer"), at: minutes(5), by: "operator ada"))
        #expect(delivery.status == .handedOver(.delivered))
        let photo = try #require(delivery.proof?.result(of: .photo))
        #expect(photo.outcome == .waived && photo.by == "operator ada")
        #expect(photo.reason == "the shop called the customer")
        #expect(delivery.proof?.result(of: .pin)?.by == "courier anna")
    }

    @Test("After five wrong PINs no further one counts, not the right one either, and a person decides")
    func tries() throws {
        var delivery = try atDoor([.pin])
        for left in [4, 3, 2, 1, 0] {
            #expect(try delivery.apply(.pin(isRight: false), at: minutes(4)))
            #expect(delivery.proof?.pinTriesLeft == left)
            #expect((delivery.proof?.undecidedSince != nil) == (left == 0))
        }
        #expect(throws: ChangeRefusal.pinTriesUsed) { try delivery.apply(.pin(isRight: true), at: minutes(5)) }
        #expect(throws: ChangeRefusal.proofMissing([.pin])) {
            try delivery.apply(.status(.delivered, reason: nil), at: minutes(6))
        }
        #expect(delivery.canWaiveProofs)
        _ = try delivery.apply(.override(.delivered, reason: "called"), at: minutes(7))
        #expect(delivery.proof?.undecidedSince == nil)
    }

    @Test("Of 10,000 guesses at one door, whoever sends them, five are compared")
    func guesses() throws {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var delivery = try atDoor([.pin])
            let pin = Int.random(in: 0..<10_000, using: &random)
            var compared: [Int] = []
            for guess in (0..<10_000).shuffled(using: &random) {
                do {
                    try delivery.checkPIN()
                } catch {
                    #expect(error == .pinTriesUsed)
                    break
                }
                compared.append(guess)
                _ = try delivery.apply(.pin(isRight: guess == pin), at: minutes(4))
                if delivery.missingProofs.isEmpty { break }
            }
            #expect(compared.count <= DeliveryProof.pinTriesMax)
            #expect(delivery.missingProofs.isEmpty == compared.contains(pin))
        }
    }

    @Test("A wrong PIN that is sent again counts once, and another one counts again")
    func sentAgain() throws {
        var delivery = try atDoor([.pin])
        let (first, second) = (UUID(), UUID())
        #expect(try delivery.apply(.pin(isRight: false, entry: first), at: minutes(4)))
        #expect(try !delivery.apply(.pin(isRight: false, entry: first), at: minutes(5)))
        #expect(try delivery.apply(.pin(isRight: false, entry: second), at: minutes(6)))
        #expect(try delivery.apply(.pin(isRight: false), at: minutes(7)))
        #expect(try delivery.apply(.pin(isRight: false), at: minutes(8)), "without an id each is another")
        #expect(delivery.proof?.wrongPINs == 4)
    }

    @Test("A wrong PIN after the right one takes nothing back, and a right one twice is one proof")
    func repeated() throws {
        var delivery = try atDoor([.pin])
        #expect(try delivery.apply(.pin(isRight: true), at: minutes(4), by: "courier anna"))
        #expect(try !delivery.apply(.pin(isRight: true), at: minutes(5), by: "courier ben"))
        #expect(try !delivery.apply(.pin(isRight: false), at: minutes(5)))
        #expect(delivery.proof?.given.count == 1 && delivery.missingProofs.isEmpty)
        _ = try delivery.apply(.status(.delivered, reason: nil), at: minutes(6))
        #expect(throws: ChangeRefusal.self) { try delivery.apply(.age(isPassed: true), at: minutes(7)) }
    }

    @Test("A refused age check sends the goods back with its reason, and cannot be passed afterwards")
    func age() throws {
        var delivery = try atDoor([.age])
        #expect(try delivery.apply(.age(isPassed: false), at: minutes(4), by: "courier anna"))
        #expect(delivery.status == .handedOver(.returning) && delivery.customerReason == .notVerified)
        let check = try #require(delivery.proof?.result(of: .age))
        #expect(check.outcome == .refused && check.by == "courier anna" && check.at == minutes(4))
        #expect(try !delivery.apply(.age(isPassed: false), at: minutes(5)), "a repeat changes nothing")
        _ = try delivery.apply(.override(.atDoor, reason: "they came back with a passport"), at: minutes(6))
        #expect(throws: ChangeRefusal.self) { try delivery.apply(.age(isPassed: true), at: minutes(7)) }
        #expect(throws: ChangeRefusal.proofMissing([.age])) {
            try delivery.apply(.status(.delivered, reason: nil), at: minutes(8))
        }
    }

    @Test("An item's proof is required while the item is or may be in the bag")
    func items() throws {
        var delivery = placedDelivery(ofEggs: [.age])
        #expect(delivery.requiredProofs == [.age])
        _ = try delivery.apply(.item(eggs, .outOfStock), at: minutes(1))
        #expect(delivery.requiredProofs.isEmpty)
        _ = try delivery.apply(.item(eggs, .found(quantity: 4)), at: minutes(2))
        #expect(delivery.requiredProofs == [.age])
        let here = try atDoor([], ofEggs: [.age])
        #expect(here.missingProofs == [.age] && here.proof == nil)
    }

    @Test("What a person at the door gives keeps the goods from being left there, and a photo does not")
    func left() throws {
        for kind in ProofKind.allCases {
            var delivery = placedDelivery(proofs: [kind])
            if kind.needsPerson {
                #expect(throws: ChangeRefusal.personNeeded([kind])) { try delivery.apply(.leaveAtDoor, at: minutes(1)) }
            } else {
                #expect(try delivery.apply(.leaveAtDoor, at: minutes(1)))
            }
        }
    }

    @Test("A provider's hand-over without its proof is kept whole and asks for a person, until the proof comes")
    func claimed() throws {
        let claim = try report(.delivered, at: 100, id: "claim")
        let proof = try report(nil, at: 104, id: "proof", proofs: [.photo])
        for reports in [[claim, proof], [proof, claim], [claim, claim, proof, proof]] {
            var delivery = try atDoor([.photo])
            for (index, report) in reports.enumerated() {
                let before = delivery
                _ = try delivery.apply(.report(report), at: minutes(200 + Double(index)))
                guard delivery.status == before.status else { continue }
                #expect(delivery.pickedUpAt == before.pickedUpAt && delivery.courier == before.courier)
            }
            #expect(delivery.status == .handedOver(.delivered) && delivery.endedAt == minutes(100))
            #expect(delivery.proof?.undecidedSince == nil && delivery.proof?.claim == nil)
        }
        var waiting = try atDoor([.photo])
        _ = try waiting.apply(.report(claim), at: minutes(200))
        #expect(waiting.status == .handedOver(.atDoor) && waiting.proof?.undecidedSince == minutes(200))
        #expect(try !waiting.apply(.report(claim), at: minutes(201)), "a repeat changes nothing")
        _ = try waiting.apply(.status(.returning, reason: nil), at: minutes(202))
        #expect(waiting.proof?.undecidedSince == nil && waiting.proof?.claim == nil)
    }

    @Test(
        "A failed attempt's uploads prove no hand-over, and a later one without them waits",
        arguments: [StatusCode.attempted, .returning])
    func failedAttempt(code: StatusCode) throws {
        var delivery = try atDoor([.photo, .signature])
        let failed = try report(code, at: 100, id: "failed", proofs: [.photo, .signature])
        _ = try delivery.apply(.report(failed), at: minutes(200))
        #expect(delivery.status.code == code && delivery.missingProofs == [.photo, .signature])
        let claim = try report(.delivered, at: 110, id: "claim")
        _ = try delivery.apply(.report(claim), at: minutes(201))
        #expect(delivery.status.code == code && delivery.proof?.claim == claim && delivery.proof?.given == [])
    }

    @Test("What a provider reported of before a person's *attempted* counts no more, also where it is sent again")
    func refutedClaim() throws {
        let claim = DeliveryChange.report(try report(.delivered, at: 100, id: "claim"))
        let decisions: [DeliveryChange] = [.status(.attempted, reason: nil), .override(.attempted, reason: "a call")]
        for decision in decisions {
            var delivery = try atDoor([.photo])
            _ = try delivery.apply(claim, at: minutes(101))
            #expect(delivery.proof?.claim != nil && delivery.proof?.undecidedSince == minutes(101))
            _ = try delivery.apply(decision, at: minutes(102))
            #expect(delivery.proof?.claim == nil && delivery.proof?.undecidedSince == nil)
            #expect(try !delivery.apply(claim, at: minutes(103)), "it is sent again")
            _ = try delivery.apply(.status(.atDoor, reason: nil), at: minutes(104))
            _ = try delivery.apply(.image(.photo, "open"), at: minutes(105), by: "courier anna")
            #expect(delivery.status == .handedOver(.atDoor) && delivery.missingProofs.isEmpty)
            #expect(try !delivery.apply(claim, at: minutes(106)))
            var reported = delivery
            let second = try report(.delivered, at: 107, id: "second", proofs: [.photo])
            _ = try reported.apply(.report(second), at: minutes(108))
            #expect(reported.status == .handedOver(.delivered) && reported.endedAt == minutes(107))
            _ = try delivery.apply(.status(.delivered, reason: nil), at: minutes(110))
            #expect(try !delivery.apply(claim, at: minutes(111)))
            #expect(delivery.status == .handedOver(.delivered) && delivery.endedAt == minutes(110))
        }
    }

    @Test("A provider's report passes no age check that the courier has refused")
    func refusedAge() throws {
        var delivery = try atDoor([.age])
        _ = try delivery.apply(.age(isPassed: false), at: minutes(4), by: "courier anna")
        let codes: [StatusCode?] = [nil, .delivered]
        for (index, code) in codes.enumerated() {
            let passed = try report(code, at: 100, id: "\(index)", proofs: [.age])
            _ = try delivery.apply(.report(passed), at: minutes(200))
            #expect(delivery.status == .handedOver(.returning) && delivery.missingProofs == [.age])
            #expect(delivery.proof?.given.map(\.outcome) == [.refused])
        }
    }

    @Test("A provider's claim ends with its courier: another one's hand-over has its own proof and its own time")
    func formerClaim() throws {
        var delivery = try atDoor([.pin])
        let claim = try report(.delivered, at: 100, id: "claim")
        _ = try delivery.apply(.report(claim), at: minutes(200))
        #expect(delivery.proof?.claim == claim)
        _ = try delivery.apply(.courier(ben), at: minutes(201))
        #expect(delivery.proof?.claim == nil && delivery.proof?.undecidedSince == nil)
        _ = try delivery.apply(.status(.atDoor, reason: nil), at: minutes(202))
        _ = try delivery.apply(.pin(isRight: true), at: minutes(203), by: "courier ben")
        #expect(delivery.status == .handedOver(.atDoor) && delivery.missingProofs.isEmpty)
        _ = try delivery.apply(.status(.delivered, reason: nil), at: minutes(204))
        #expect(delivery.endedAt == minutes(204) && delivery.courier == ben)
        var guessed = try atDoor([.pin])
        for _ in 0..<DeliveryProof.pinTriesMax { _ = try guessed.apply(.pin(isRight: false), at: minutes(4)) }
        _ = try guessed.apply(.courier(ben), at: minutes(5))
        #expect(guessed.proof?.undecidedSince == minutes(4), "the next courier has no further tries")
    }

    @Test("A hand-over without its proof waits for a person on a reported way back too, whichever came first")
    func claimedOnTheWayBack() throws {
        let reports = [try report(.delivered, at: 100, id: "claim"), try report(.returning, at: 90, id: "back")]
        for order in [reports, reports.reversed()] {
            var delivery = try atDoor([.photo])
            for report in order { _ = try delivery.apply(.report(report), at: minutes(200)) }
            #expect(delivery.status == .handedOver(.returning) && delivery.statusSince == minutes(90))
            #expect(delivery.proof?.claim == reports[0] && delivery.proof?.undecidedSince == minutes(200))
        }
    }

    @Test(
        "A failure, a hand-over without its photo, and the photo make one delivery in whatever order they arrive",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func everyOrder(order: [Int]) throws {
        let reports = [
            try report(.failed, at: 90, id: "failed"), try report(.delivered, at: 100, id: "claim"),
            try report(nil, at: 104, id: "photo", proofs: [.photo]),
        ]
        var delivery = try atDoor([.photo])
        for index in order { _ = try delivery.apply(.report(reports[index]), at: minutes(200)) }
        var expected = try atDoor([.photo])
        for index in [2, 1] { _ = try expected.apply(.report(reports[index]), at: minutes(200)) }
        #expect(delivery.status == .handedOver(.delivered) && delivery.endedAt == minutes(100))
        #expect(delivery.statusSince == expected.statusSince && delivery.pickedUpAt == expected.pickedUpAt)
        #expect(delivery.proof == expected.proof && delivery.items == expected.items)
        #expect(delivery.flags == expected.flags && delivery.episode == expected.episode)
        #expect(delivery.courier == expected.courier && delivery.reason == expected.reason)
    }

    @Test("A reopened delivery is proven again, and its former proofs stay on record")
    func reopened() throws {
        var delivery = try atDoor([.pin])
        _ = try delivery.apply(.pin(isRight: true), at: minutes(4), by: "courier anna")
        _ = try delivery.apply(.status(.delivered, reason: nil), at: minutes(5))
        _ = try delivery.apply(.override(.atDoor, reason: "the wrong door"), at: minutes(6))
        #expect(delivery.missingProofs == [.pin] && delivery.proof?.former?.count == 1)
        #expect(throws: ChangeRefusal.proofMissing([.pin])) {
            try delivery.apply(.status(.delivered, reason: nil), at: minutes(7))
        }
    }

    @Test("No milestone and no timer reaches a hand-over", arguments: Milestone.allCases)
    func milestones(milestone: Milestone) throws {
        var delivery = try atDoor([.pin])
        _ = try delivery.apply(.milestone(milestone, assignmentEpoch: delivery.assignmentEpoch), at: minutes(9))
        #expect(delivery.status == .handedOver(.atDoor))
    }
}
