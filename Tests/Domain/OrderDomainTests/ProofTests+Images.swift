import Foundation
import OrderDomain
import Testing

/// Proofs that a courier's page brings: images, barcodes and the courier's word.
extension ProofTests {
    @Test("A photo and a signature are proofs by their names, the last of a kind counts, and all stay on record")
    func images() throws {
        for kind in [ProofKind.photo, .signature] {
            var delivery = try atDoor([kind])
            #expect(try delivery.apply(.image(kind, "first"), at: minutes(4), by: "courier anna"))
            #expect(try !delivery.apply(.image(kind, "first"), at: minutes(5), by: "courier anna"))
            #expect(try delivery.apply(.image(kind, "second"), at: minutes(6), by: "courier anna"))
            #expect(delivery.proof?.result(of: kind)?.image == "second" && delivery.missingProofs.isEmpty)
            _ = try delivery.apply(.status(.delivered, reason: nil), at: minutes(7))
            #expect(try !delivery.apply(.image(kind, "second"), at: minutes(8)), "a repeat is no other image")
            #expect(throws: ChangeRefusal.self) { try delivery.apply(.image(kind, "third"), at: minutes(8)) }
            _ = try delivery.apply(.override(.atDoor, reason: "the wrong door"), at: minutes(9))
            #expect(delivery.missingProofs == [kind] && delivery.proof?.images == ["first", "second"])
        }
        var waived = try atDoor([.photo])
        _ = try waived.apply(.override(.delivered, reason: "the courier had no network"), at: minutes(4))
        #expect(try waived.apply(.image(.photo, "late"), at: minutes(5), by: "courier anna"))
        #expect(waived.status == .handedOver(.delivered) && waived.endedAt == minutes(4))
        #expect(waived.proof?.given.map(\.outcome) == [.waived, .passed])
        var other = try atDoor([.pin])
        #expect(throws: ChangeRefusal.proofNotRequired(.photo)) { try other.apply(.image(.photo, "a"), at: minutes(4)) }
        #expect(throws: ChangeRefusal.proofNotRequired(.pin)) { try other.apply(.image(.pin, "a"), at: minutes(4)) }
        var many = try atDoor([.photo])
        for number in 0..<DeliveryProof.imagesMax { _ = try many.apply(.image(.photo, "\(number)"), at: minutes(4)) }
        #expect(throws: ChangeRefusal.tooManyImages) { try many.apply(.image(.photo, "more"), at: minutes(5)) }
    }

    @Test("No image of a failed attempt, or of a reopened hand-over, proves a later one, however often it is sent")
    func formerImages() throws {
        for kind in [ProofKind.photo, .signature] {
            var delivery = try atDoor([kind, .barcode])
            _ = try delivery.apply(.barcode("NH-1042-1"), at: minutes(4), by: "courier anna")
            _ = try delivery.apply(.image(kind, "closed"), at: minutes(4), by: "courier anna")
            _ = try delivery.apply(.status(.attempted, reason: nil), at: minutes(5))
            #expect(delivery.missingProofs == [kind] && delivery.proof?.images == ["closed"])
            _ = try delivery.apply(.status(.atDoor, reason: nil), at: minutes(6))
            #expect(try !delivery.apply(.image(kind, "closed"), at: minutes(7), by: "courier anna"))
            #expect(throws: ChangeRefusal.proofMissing([kind])) {
                try delivery.apply(.status(.delivered, reason: nil), at: minutes(7))
            }
            _ = try delivery.apply(.image(kind, "open"), at: minutes(8), by: "courier anna")
            // A report of the attempt that comes late takes nothing from the visit after it.
            _ = try delivery.apply(.report(report(.attempted, at: 5)), at: minutes(9))
            #expect(delivery.missingProofs.isEmpty)
            _ = try delivery.apply(.override(.delivered, reason: "set up"), at: minutes(10))
            _ = try delivery.apply(.override(.atDoor, reason: "the wrong door"), at: minutes(11))
            #expect(try !delivery.apply(.image(kind, "open"), at: minutes(12), by: "courier anna"))
            #expect(delivery.missingProofs == [.barcode, kind].sorted())
        }
    }

    @Test("No image of a hand-over at a wrong door, or by a courier before, proves the right one")
    func imagesElsewhere() throws {
        let other = try #require(Coordinate(latitude: 52.54, longitude: 13.42))
        let near = try #require(Coordinate(latitude: 52.5301, longitude: 13.42))
        for kind in [ProofKind.photo, .signature] {
            var given = try atDoor([kind])
            _ = try given.apply(.image(kind, "first"), at: minutes(4), by: "courier anna")
            for change in [DeliveryChange.correct(DropOffCorrection(door: other)), .courier(ben)] {
                var delivery = given
                _ = try delivery.apply(change, at: minutes(5))
                #expect(delivery.missingProofs == [kind] && delivery.proof?.images == ["first"])
                #expect(try !delivery.apply(.image(kind, "first"), at: minutes(6), by: "courier anna"))
                #expect(throws: ChangeRefusal.proofMissing([kind])) {
                    try delivery.apply(.status(.delivered, reason: nil), at: minutes(6))
                }
            }
            var handedOn = given
            _ = try handedOn.apply(.courier(ben), at: minutes(5))
            _ = try handedOn.apply(.image(kind, "second"), at: minutes(6), by: "courier ben")
            _ = try handedOn.apply(.courier(anna), at: minutes(7))
            #expect(handedOn.missingProofs == [kind] && handedOn.fetchedFrom == nil)
            var corrected = given
            _ = try corrected.apply(.correct(DropOffCorrection(door: near)), at: minutes(5))
            #expect(corrected.missingProofs.isEmpty, "it is the same door")
        }
    }

    @Test("No word and no image of before a report of another courier proves that one's hand-over")
    func reportedCourier() throws {
        for kind in [ProofKind.photo, .signature] {
            var given = try atDoor([.pin, kind])
            _ = try given.apply(.image(kind, "first"), at: minutes(4), by: "courier anna")
            _ = try given.apply(.handedOverUnconfirmed, at: minutes(5), by: "courier anna")
            var replaced = given
            _ = try replaced.apply(.report(report(nil, at: 6, by: ben)), at: minutes(6))
            #expect(replaced.courier == ben && replaced.missingProofs == [kind, .pin].sorted())
            #expect(replaced.proof?.handedOverAt == nil && replaced.proof?.images == ["first"])
            #expect(replaced.proof?.undecidedSince == nil, "the question was about that word")
            _ = try given.apply(.report(report(nil, at: 3, by: ben)), at: minutes(6))
            #expect(given.courier == ben && given.missingProofs == [.pin], "the report is of a time before the image")
        }
    }

    @Test("A corrected door ends what a hand-over at the former one waited for, and no decision after five wrong PINs")
    func decisionElsewhere() throws {
        let other = try #require(Coordinate(latitude: 52.54, longitude: 13.42))
        var claimed = try atDoor([.pin])
        _ = try claimed.apply(.report(report(.delivered, at: 4)), at: minutes(4))
        #expect(claimed.proof?.claim != nil && claimed.proof?.undecidedSince == minutes(4))
        _ = try claimed.apply(.correct(DropOffCorrection(door: other)), at: minutes(5))
        #expect(claimed.proof?.claim == nil && claimed.proof?.undecidedSince == nil)
        _ = try claimed.apply(.report(report(.delivered, at: 4)), at: minutes(6))
        #expect(claimed.proof?.claim == nil && claimed.proof?.undecidedSince == nil, "it was at the other door")
        _ = try claimed.apply(.pin(isRight: true), at: minutes(6), by: "courier anna")
        #expect(claimed.status == .handedOver(.enRoute) && claimed.missingProofs.isEmpty)
        var wrong = try atDoor([.pin])
        for _ in 0..<DeliveryProof.pinTriesMax { _ = try wrong.apply(.pin(isRight: false), at: minutes(4)) }
        _ = try wrong.apply(.correct(DropOffCorrection(door: other)), at: minutes(5))
        #expect(wrong.proof?.undecidedSince == minutes(4))
    }

    @Test("No proof that a provider reports of a visit to a wrong door, or of a courier before, proves the right one")
    func reportedElsewhere() throws {
        let other = try #require(Coordinate(latitude: 52.54, longitude: 13.42))
        for kind in [ProofKind.photo, .signature, .age] {
            let claim = DeliveryChange.report(try report(.delivered, at: 4, proofs: [kind]))
            var given = try atDoor([.pin, kind])
            _ = try given.apply(claim, at: minutes(4))
            #expect(given.missingProofs == [.pin] && given.proof?.claim != nil)
            var handedOn = given
            _ = try handedOn.apply(.courier(ben), at: minutes(5))
            #expect(handedOn.missingProofs == [kind, .pin].sorted() && handedOn.proof?.former?.map(\.kind) == [kind])
            _ = try given.apply(.correct(DropOffCorrection(door: other)), at: minutes(5))
            #expect(given.missingProofs == [kind, .pin].sorted() && given.proof?.former?.map(\.kind) == [kind])
            _ = try given.apply(claim, at: minutes(6))
            #expect(given.missingProofs == [kind, .pin].sorted(), "the report is sent again")
            var late = try atDoor([kind])
            _ = try late.apply(.correct(DropOffCorrection(door: other)), at: minutes(5))
            _ = try late.apply(claim, at: minutes(6))
            #expect(late.status == .handedOver(.enRoute) && late.missingProofs == [kind])
            #expect(late.proof?.claim == nil && late.proof?.undecidedSince == nil)
            _ = try late.apply(.report(report(.delivered, at: 6, proofs: [kind])), at: minutes(7))
            #expect(late.status == .handedOver(.delivered) && late.endedAt == minutes(6))
        }
    }

    @Test("An age check that passed at a wrong door, or before another courier, is made again; one that failed stays")
    func ageElsewhere() throws {
        let other = try #require(Coordinate(latitude: 52.54, longitude: 13.42))
        let near = try #require(Coordinate(latitude: 52.5301, longitude: 13.42))
        for change in [DeliveryChange.correct(DropOffCorrection(door: other)), .courier(ben)] {
            var delivery = try atDoor([.age, .pin])
            _ = try delivery.apply(.pin(isRight: true), at: minutes(4), by: "courier anna")
            _ = try delivery.apply(.age(isPassed: true), at: minutes(4), by: "courier anna")
            #expect(delivery.missingProofs.isEmpty)
            _ = try delivery.apply(change, at: minutes(5))
            #expect(delivery.missingProofs == [.age] && delivery.canCheckAge, "the PIN is the customer's at any door")
            #expect(throws: ChangeRefusal.proofMissing([.age])) {
                try delivery.apply(.status(.delivered, reason: nil), at: minutes(6))
            }
            _ = try delivery.apply(.age(isPassed: true), at: minutes(7), by: "courier ben")
            #expect(delivery.missingProofs.isEmpty)
        }
        var same = try atDoor([.age])
        _ = try same.apply(.age(isPassed: true), at: minutes(4), by: "courier anna")
        _ = try same.apply(.correct(DropOffCorrection(door: near)), at: minutes(5))
        #expect(same.missingProofs.isEmpty, "it is the same door")
        var refused = try atDoor([.age])
        _ = try refused.apply(.age(isPassed: false), at: minutes(4), by: "courier anna")
        _ = try refused.apply(.courier(ben), at: minutes(5))
        #expect(refused.proof?.result(of: .age)?.outcome == .refused && !refused.canCheckAge)
    }

    @Test("A barcode is compared like any text, and without one of the order an operator decides")
    func barcode() throws {
        var delivery = try atDoor([.barcode])
        #expect(throws: ChangeRefusal.wrongBarcode) { try delivery.apply(.barcode("another"), at: minutes(4)) }
        #expect(try delivery.apply(.barcode("NH-1042-1"), at: minutes(4), by: "courier anna"))
        #expect(try !delivery.apply(.barcode("another"), at: minutes(5)), "it is proven already")
        for barcode in [nil, " \t"] {
            var unknown = try atDoor([.barcode], barcode: barcode)
            #expect(throws: ChangeRefusal.barcodeUnknown) { try unknown.apply(.barcode("NH-1042-1"), at: minutes(4)) }
            #expect(throws: ChangeRefusal.barcodeUnknown) { try unknown.apply(.barcode(" "), at: minutes(4)) }
        }
    }

    @Test("White space around a barcode is no part of it, in the order or as it is read")
    func barcodeWithWhiteSpace() throws {
        for (known, read) in [("NH-1042-1  ", "NH-1042-1"), ("NH-1042-1", " NH-1042-1\n"), ("\tNH 1 ", "NH 1")] {
            var delivery = try atDoor([.barcode], barcode: known)
            #expect(throws: ChangeRefusal.wrongBarcode) { try delivery.apply(.barcode("NH"), at: minutes(4)) }
            #expect(try delivery.apply(.barcode(read), at: minutes(4), by: "courier anna"))
            #expect(delivery.missingProofs.isEmpty)
        }
    }

    @Test("A hand-over whose proof is missing waits for it by the courier's word, asks a person, and is no `delivered`")
    func unconfirmed() throws {
        var delivery = try atDoor([.pin])
        #expect(try delivery.apply(.handedOverUnconfirmed, at: minutes(4)))
        #expect(delivery.status == .handedOver(.atDoor) && delivery.canWaiveProofs)
        #expect(delivery.proof?.handedOverAt == minutes(4) && delivery.proof?.undecidedSince == minutes(4))
        #expect(try !delivery.apply(.handedOverUnconfirmed, at: minutes(5)), "a repeat changes nothing")
        var confirmed = delivery
        _ = try confirmed.apply(.pin(isRight: true), at: minutes(6), by: "courier anna")
        #expect(confirmed.status == .handedOver(.delivered) && confirmed.proof?.handedOverAt == nil)
        #expect(confirmed.endedAt == minutes(4))
        var decided = delivery
        _ = try decided.apply(.override(.delivered, reason: "the customer called"), at: minutes(6))
        #expect(decided.status == .handedOver(.delivered) && decided.proof?.handedOverAt == nil)
        #expect(decided.endedAt == minutes(4))
        var moved = delivery
        _ = try moved.apply(.courier(ben), at: minutes(6))
        #expect(moved.proof?.handedOverAt == nil && moved.proof?.undecidedSince == nil, "it was another's word")
        var attempted = delivery
        _ = try attempted.apply(.status(.attempted, reason: nil), at: minutes(6))
        #expect(attempted.proof?.handedOverAt == nil && attempted.missingProofs == [.pin])
        #expect(attempted.proof?.undecidedSince == nil, "the question was about that visit")
        let isUnproven = attempted.proof?.undecidedSince != nil
        #expect(OperatorNeed(attempted.status, flags: attempted.flags, isUnproven: isUnproven) == .attempted)
        var guessed = delivery
        for _ in 0..<DeliveryProof.pinTriesMax { _ = try guessed.apply(.pin(isRight: false), at: minutes(5)) }
        _ = try guessed.apply(.status(.attempted, reason: nil), at: minutes(6))
        #expect(guessed.proof?.handedOverAt == nil && guessed.proof?.undecidedSince == minutes(4))
        var back = delivery
        _ = try back.apply(.status(.returning, reason: nil), at: minutes(6))
        #expect(back.proof?.handedOverAt == nil && back.proof?.undecidedSince == nil)
        var proven = try atDoor([.pin])
        _ = try proven.apply(.pin(isRight: true), at: minutes(4))
        #expect(try proven.apply(.handedOverUnconfirmed, at: minutes(5)))
        #expect(proven.status == .handedOver(.delivered), "nothing is to be confirmed")
    }

    @Test("A hand-over counts as of the courier's word, and the promise that it kept is not missed by the confirmation")
    func unconfirmedInTime() throws {
        var delivery = try atDoor([.pin])
        let late = DeliveryChange.milestone(.late, assignmentEpoch: delivery.assignmentEpoch)
        _ = try delivery.apply(late, at: minutes(70))
        #expect(delivery.flags.contains(.delayed))
        _ = try delivery.apply(.milestone(.onTime, assignmentEpoch: delivery.assignmentEpoch), at: minutes(75))
        var expected = delivery
        _ = try expected.apply(late, at: minutes(78))
        for isExpectedLate in [true, false] {
            var handedOver = isExpectedLate ? expected : delivery
            _ = try handedOver.apply(.handedOverUnconfirmed, at: minutes(80))
            _ = try handedOver.apply(late, at: minutes(91))
            #expect(handedOver.flags.contains(.delayed) == isExpectedLate)
            for change in [DeliveryChange.pin(isRight: true), .override(.delivered, reason: "the customer called")] {
                var ended = handedOver
                _ = try ended.apply(change, at: minutes(100))
                #expect(ended.status == .handedOver(.delivered) && ended.endedAt == minutes(80))
                #expect(!ended.flags.contains(.delayed))
                var overdue = handedOver
                _ = try overdue.apply(change, at: minutes(801))
                #expect(overdue.endedAt == minutes(801), "no resync would republish an end of twelve hours ago")
                #expect(overdue.flags.contains(.delayed) == isExpectedLate, "its recorded end is late")
            }
            _ = try handedOver.apply(.status(.attempted, reason: nil), at: minutes(92))
            _ = try handedOver.apply(late, at: minutes(93))
            #expect(handedOver.flags.contains(.delayed), "it was not handed over")
        }
    }

    @Test("A hand-over by the courier's word is at the door until it is confirmed, from wherever it is reported")
    func unconfirmedOnTheWay() throws {
        for former in [StatusCode.pickedUp, .enRoute, .arriving, .attempted] {
            var delivery = try atDoor([.photo])
            _ = try delivery.apply(.override(former, reason: "a test"), at: minutes(4))
            #expect(try delivery.apply(.handedOverUnconfirmed, at: minutes(6)))
            #expect(delivery.status == .handedOver(.atDoor) && delivery.statusSince == minutes(6), "\(former)")
            #expect(delivery.proof?.handedOverAt == minutes(6) && delivery.proof?.undecidedSince == minutes(6))
        }
        var fetched = try atDoor([.photo])
        _ = try fetched.apply(.courier(ben), at: minutes(4))
        #expect(fetched.fetchedFrom != nil)
        #expect(try fetched.apply(.handedOverUnconfirmed, at: minutes(6)))
        #expect(fetched.status == .handedOver(.atDoor))
        #expect(fetched.fetchedFrom == nil, "who handed it over has fetched it")
    }

    @Test(
        "A hand-over after a failed attempt, or while on hold, counts with its photo, whichever of the two comes first",
        arguments: [true, false], [true, false])
    func gone(isHeld: Bool, isPhotoFirst: Bool) throws {
        var delivery = try atDoor([.photo])
        _ = try delivery.apply(isHeld ? .hold(reason: "a call") : .status(.attempted, reason: nil), at: minutes(4))
        let changes: [DeliveryChange] = [.image(.photo, "one"), .handedOverUnconfirmed]
        for change in isPhotoFirst ? changes : changes.reversed() {
            #expect(try delivery.apply(change, at: minutes(5), by: "courier anna"))
        }
        #expect(delivery.status == .handedOver(.delivered) && delivery.endedAt == minutes(5))
        #expect(delivery.proof?.handedOverAt == nil && delivery.proof?.undecidedSince == nil)
        #expect(!delivery.flags.contains(.onHold))
    }
}
