import Foundation
import OrderDomain
import Testing

/// Hand-overs that a person's word, or another door, refutes.
extension ProofTests {
    @Test("A report that a person's *attempted* refutes proves nothing, unless it has all proofs and a PIN among them")
    func refutedProofs() throws {
        for required in [[ProofKind.photo], [.photo, .pin]] {
            var delivery = try atDoor(Set(required))
            _ = try delivery.apply(.report(report(.delivered, at: 100, id: "claim")), at: minutes(201))
            _ = try delivery.apply(.status(.attempted, reason: nil), at: minutes(202))
            let late = DeliveryChange.report(try report(.delivered, at: 100, id: "late", proofs: [.photo]))
            #expect(try !delivery.apply(late, at: minutes(203)))
            #expect(delivery.status == .handedOver(.attempted) && delivery.missingProofs == required)
            let second = try report(.delivered, at: 110, id: "second", proofs: [.pin, .photo])
            _ = try delivery.apply(.report(second), at: minutes(204))
            let isProven = required.contains(.pin)
            #expect((delivery.status == .handedOver(.delivered)) == isProven)
            #expect(delivery.endedAt == (isProven ? minutes(110) : nil))
        }
    }

    @Test("A proven hand-over of before an *attempted* asks a person where the delivery is at the door again")
    func mistakenAttempt() throws {
        var delivery = try atDoor([.photo])
        _ = try delivery.apply(.status(.attempted, reason: nil), at: minutes(101))
        let late = DeliveryChange.report(try report(.delivered, at: 100, id: "late", proofs: [.photo]))
        #expect(try !delivery.apply(late, at: minutes(102)), "the attempt stands")
        _ = try delivery.apply(.status(.atDoor, reason: nil), at: minutes(103))
        let unproven = DeliveryChange.report(try report(.delivered, at: 100, id: "unproven"))
        #expect(try !delivery.apply(unproven, at: minutes(104)))
        #expect(try delivery.apply(late, at: minutes(105)))
        #expect(delivery.status == .handedOver(.atDoor) && delivery.missingProofs == [.photo])
        #expect(delivery.proof?.undecidedSince == minutes(105) && delivery.proof?.claim == nil)
        #expect(try !delivery.apply(late, at: minutes(106)), "a repeat changes nothing")
    }

    @Test("A hand-over with the customer's PIN counts although the door was corrected since, whoever entered the PIN")
    func provenBeforeCorrection() throws {
        let other = try #require(Coordinate(latitude: 52.54, longitude: 13.42))
        for isReported in [true, false] {
            var delivery = try atDoor([.pin])
            if !isReported { _ = try delivery.apply(.pin(isRight: true), at: minutes(150), by: "courier anna") }
            _ = try delivery.apply(.correct(DropOffCorrection(door: other)), at: minutes(202))
            #expect(delivery.proof?.doorMovedAt == minutes(202))
            let end = try report(.delivered, at: 200, proofs: isReported ? [.pin] : nil)
            _ = try delivery.apply(.report(end), at: minutes(203))
            #expect(delivery.status == .handedOver(.delivered) && delivery.endedAt == minutes(200))
        }
    }

    @Test("A person's *attempted* refutes what waits where the provider has reported the attempt before, too")
    func confirmedAttempt() throws {
        let claim = DeliveryChange.report(try report(.delivered, at: 100, id: "claim"))
        let decisions: [DeliveryChange] = [.status(.attempted, reason: nil), .override(.attempted, reason: "a call")]
        for decision in decisions {
            var delivery = try atDoor([.photo])
            _ = try delivery.apply(claim, at: minutes(201))
            _ = try delivery.apply(.report(report(.attempted, at: 102, id: "failed")), at: minutes(202))
            #expect(delivery.status == .handedOver(.attempted) && delivery.proof?.claim != nil)
            #expect(try delivery.apply(decision, at: minutes(203)))
            #expect(delivery.proof?.claim == nil && delivery.proof?.undecidedSince == nil)
            #expect(try !delivery.apply(decision, at: minutes(204)), "a repeat changes nothing")
            #expect(try !delivery.apply(claim, at: minutes(205)))
        }
        var unasked = try atDoor([.photo])
        _ = try unasked.apply(.report(report(.attempted, at: 102, id: "failed")), at: minutes(102))
        #expect(try unasked.apply(.status(.attempted, reason: nil), at: minutes(103)))
        #expect(try !unasked.apply(.status(.attempted, reason: nil), at: minutes(104)), "a repeat changes nothing")
        let late = DeliveryChange.report(try report(.delivered, at: 100, id: "late", proofs: [.photo]))
        #expect(try !unasked.apply(late, at: minutes(105)))
        #expect(unasked.status == .handedOver(.attempted))
        var guessed = try atDoor([.pin])
        for _ in 0..<DeliveryProof.pinTriesMax { _ = try guessed.apply(.pin(isRight: false), at: minutes(4)) }
        _ = try guessed.apply(.status(.attempted, reason: nil), at: minutes(5))
        #expect(try !guessed.apply(.status(.attempted, reason: nil), at: minutes(6)))
        #expect(guessed.proof?.undecidedSince == minutes(4), "a person still has to decide")
    }
}
