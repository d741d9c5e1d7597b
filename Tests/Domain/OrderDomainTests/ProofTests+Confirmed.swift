import Foundation
import OrderDomain
import Testing

/// Hand-overs that are confirmed later than they were, by the courier's word or by a provider's report.
extension ProofTests {
    @Test("A provider's hand-over without its proof is as of its report, whoever confirms it, and misses no promise")
    func confirmedClaim() throws {
        let decisions: [(change: DeliveryChange, reason: String?)] = [
            (.override(.delivered, reason: "a call"), "a call"), (.image(.photo, "door"), nil),
        ]
        for decision in decisions {
            var delivery = try atDoor([.photo])
            _ = try delivery.apply(.report(report(.delivered, at: 80, by: ben)), at: minutes(81))
            #expect(delivery.reportedHandOverAt == minutes(80) && delivery.courier == anna)
            let late = DeliveryChange.milestone(.late, assignmentEpoch: delivery.assignmentEpoch)
            #expect(try !delivery.apply(late, at: minutes(91)))
            #expect(try delivery.apply(decision.change, at: minutes(140), by: "operator ada"))
            #expect(delivery.status == .handedOver(.delivered) && delivery.endedAt == minutes(80))
            #expect(!delivery.flags.contains(.delayed) && delivery.courier == ben)
            #expect(delivery.reason == decision.reason && delivery.proof?.claim == nil)
            #expect(delivery.endKnownAt == minutes(140) && delivery.isMistakable(at: minutes(259)))
        }
    }

    @Test("Of a courier's word and a provider's report the earlier is the end, in both orders and whoever confirms it")
    func wordAndClaim() throws {
        let decisions: [DeliveryChange] = [
            .override(.delivered, reason: "a call"), .image(.photo, "door"),
            .report(try report(.delivered, at: 95, proofs: [.photo])),
        ]
        for (decision, isWordFirst, isWordEarlier) in decisions.flatMap({ decision in
            [(true, true), (true, false), (false, true), (false, false)].map { (decision, $0.0, $0.1) }
        }) {
            var delivery = try atDoor([.photo])
            let late = DeliveryChange.milestone(.late, assignmentEpoch: delivery.assignmentEpoch)
            _ = try delivery.apply(late, at: minutes(60))
            let (word, claim) = isWordEarlier ? (80.0, 95.0) : (95, 80)
            let changes: [(DeliveryChange, Double)] = [
                (.handedOverUnconfirmed, word), (.report(try report(.delivered, at: claim)), claim),
            ]
            for (change, at) in isWordFirst ? changes : changes.reversed() {
                _ = try delivery.apply(change, at: minutes(at))
            }
            #expect(delivery.reportedHandOverAt == minutes(80))
            _ = try delivery.apply(decision, at: minutes(140), by: "operator ada")
            #expect(delivery.status == .handedOver(.delivered) && delivery.endedAt == minutes(80), "\(decision)")
            #expect(delivery.statusSince == minutes(80) && delivery.endKnownAt == minutes(140), "\(decision)")
            // No report of a provider takes back that its delivery was late.
            if case .report = decision { continue }
            #expect(!delivery.flags.contains(.delayed), "\(decision)")
        }
    }

    @Test(
        "An attempt that is reported after a hand-over without its proof leaves the delivery late, at the second try too",
        arguments: [75.0, 85], [false, true])
    func attemptAndClaim(attemptedAt: Double, isAgainAtDoor: Bool) throws {
        var delivery = try atDoor([.photo])
        _ = try delivery.apply(.report(report(.delivered, at: 80)), at: minutes(80))
        _ = try delivery.apply(.report(report(.attempted, at: attemptedAt)), at: minutes(85))
        if isAgainAtDoor { _ = try delivery.apply(.status(.atDoor, reason: nil), at: minutes(90)) }
        let isDoubtful = attemptedAt > 80 || isAgainAtDoor
        #expect((delivery.reportedHandOverAt == nil) == isDoubtful)
        let late = DeliveryChange.milestone(.late, assignmentEpoch: delivery.assignmentEpoch)
        #expect(try delivery.apply(late, at: minutes(91)) == isDoubtful)
        _ = try delivery.apply(.override(.delivered, reason: "a call"), at: minutes(140), by: "operator ada")
        #expect(delivery.status == .handedOver(.delivered) && delivery.flags.contains(.delayed) == isDoubtful)
        #expect(delivery.endedAt == minutes(isDoubtful ? 140 : 80))
    }

    @Test("An operator corrects a failure to the hand-over that a provider has reported, as of the report")
    func claimBehindFailure() throws {
        var delivery = try atDoor([.photo])
        _ = try delivery.apply(.report(report(.failed, at: 90, by: anna)), at: minutes(90))
        _ = try delivery.apply(.report(report(.delivered, at: 100, by: ben)), at: minutes(101))
        #expect(try delivery.apply(.override(.delivered, reason: "a call"), at: minutes(140), by: "operator ada"))
        #expect(delivery.status == .handedOver(.delivered) && delivery.endedAt == minutes(100))
        #expect(delivery.courier == ben && delivery.flags.contains(.disputed) && delivery.reason == "a call")
        #expect(delivery.episode == 1 && delivery.proof?.claim == nil)
    }

    @Test("An operator's decision about a report of twelve hours ago, or of before a correction, counts as of now")
    func oldClaim() throws {
        var overdue = try atDoor([.photo])
        _ = try overdue.apply(.report(report(.delivered, at: 100)), at: minutes(101))
        _ = try overdue.apply(.override(.delivered, reason: "a call"), at: minutes(821))
        #expect(overdue.endedAt == minutes(821) && overdue.endKnownAt == minutes(821))
        var corrected = try atDoor([.photo])
        _ = try corrected.apply(.override(.delivered, reason: "a slip"), at: minutes(5))
        _ = try corrected.apply(.override(.enRoute, reason: "it goes on"), at: minutes(6))
        _ = try corrected.apply(.report(report(.delivered, at: 7)), at: minutes(8))
        #expect(corrected.proof?.claim != nil)
        _ = try corrected.apply(.status(.atDoor, reason: nil), at: minutes(9))
        _ = try corrected.apply(.override(.delivered, reason: "a call"), at: minutes(10))
        #expect(corrected.status == .handedOver(.delivered) && corrected.reason == "a call")
        #expect(corrected.endedAt == minutes(10) && corrected.endKnownAt == minutes(10))
    }

    @Test("A customer's word is taken for twelve hours since the confirmation of the courier's")
    func feedbackSinceConfirmation() throws {
        var delivery = try atDoor([.photo])
        _ = try delivery.apply(.handedOverUnconfirmed, at: minutes(4))
        #expect(delivery.endKnownAt == nil)
        _ = try delivery.apply(.image(.photo, "door"), at: minutes(700), by: "courier anna")
        #expect(delivery.endedAt == minutes(4) && delivery.endKnownAt == minutes(700))
        #expect(delivery.acceptsFeedback(at: minutes(730)) && !delivery.acceptsFeedback(at: minutes(1_421)))
        #expect(try delivery.apply(.feedback(.missing, items: [milk]), at: minutes(1_420)))
    }

    @Test("The release of a problem leaves what the courier has handed over by their word at the door")
    func problemWithHandOver() throws {
        let changes: [DeliveryChange] = [.handedOverUnconfirmed, .hold(reason: CourierProblem.damaged.reason)]
        for isWordFirst in [true, false] {
            var delivery = try atDoor([.photo])
            for change in isWordFirst ? changes : changes.reversed() {
                #expect(try delivery.apply(change, at: minutes(4)))
            }
            #expect(delivery.isLeftUndone != isWordFirst)
            #expect(try delivery.apply(.release, at: minutes(5)))
            #expect(delivery.status == .handedOver(.atDoor) && delivery.formerApproaches == nil)
            #expect(delivery.proof?.handedOverAt == minutes(4) && !delivery.flags.contains(.onHold))
        }
    }

    @Test("A report of an attempt before the courier's word changes nothing, whichever of the two comes first")
    func attemptBeforeWord() throws {
        for attemptedAt in [3.0, 4] {
            let attempt = DeliveryChange.report(try report(.attempted, at: attemptedAt))
            let orders: [[DeliveryChange]] = [[attempt, .handedOverUnconfirmed], [.handedOverUnconfirmed, attempt]]
            for changes in orders {
                var delivery = try atDoor([.photo, .signature])
                // Of a closed door.
                _ = try delivery.apply(.image(.photo, "door"), at: minutes(2), by: "courier anna")
                for change in changes { _ = try delivery.apply(change, at: minutes(4)) }
                #expect(delivery.status == .handedOver(.atDoor), "\(attemptedAt)")
                #expect(delivery.missingProofs == [.photo, .signature])
                #expect(delivery.proof?.handedOverAt == minutes(4) && delivery.proof?.undecidedSince == minutes(4))
            }
        }
        var later = try atDoor([.photo])
        _ = try later.apply(.handedOverUnconfirmed, at: minutes(4))
        _ = try later.apply(.report(report(.attempted, at: 6)), at: minutes(7))
        #expect(later.status == .handedOver(.attempted) && later.proof?.handedOverAt == nil)
    }

    @Test(
        "A courier's word after a reported attempt leaves a report of a hand-over as it was, in every order",
        arguments: [50.0, 40])
    func attemptClaimAndWord(claimedAt: Double) throws {
        let attempt = DeliveryChange.report(try report(.attempted, at: 45, id: "failed"))
        let claim = DeliveryChange.report(try report(.delivered, at: claimedAt, id: "claim"))
        let word = DeliveryChange.handedOverUnconfirmed
        let isDoubtful = claimedAt < 45
        for changes in [[attempt, claim, word], [claim, attempt, word], [claim, word, attempt]] {
            var delivery = try atDoor([.photo])
            let late = DeliveryChange.milestone(.late, assignmentEpoch: delivery.assignmentEpoch)
            _ = try delivery.apply(late, at: minutes(30))
            for change in changes { _ = try delivery.apply(change, at: minutes(80)) }
            #expect(delivery.status == .handedOver(.atDoor) && delivery.proof?.handedOverAt == minutes(80))
            #expect(delivery.reportedHandOverAt == minutes(isDoubtful ? 80 : 50))
            #expect(delivery.steppedBackAt == minutes(45))
            var decided = delivery
            _ = try decided.apply(.override(.delivered, reason: "a call"), at: minutes(90), by: "operator ada")
            #expect(decided.status == .handedOver(.delivered) && decided.endedAt == minutes(isDoubtful ? 80 : 50))
            #expect(!decided.flags.contains(.delayed))
            guard !isDoubtful else { continue }
            _ = try delivery.apply(.image(.photo, "door"), at: minutes(90), by: "courier anna")
            #expect(delivery.status == .handedOver(.delivered) && delivery.endedAt == minutes(50))
            #expect(!delivery.flags.contains(.delayed))
        }
    }
}
