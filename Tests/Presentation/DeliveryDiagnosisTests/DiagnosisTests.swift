import DeliveryDiagnosis
import DeliverySamples
import DoorstepAPI
import Foundation
import OrderDomain
import Testing
import TimePresentation

@Suite("What is wrong with a delivery")
struct DiagnosisTests {
    @Test("A change that cards have not been told of is said, however well they confirm what they were told")
    func undispatched() throws {
        let former = SampleTimeline.activity(isBehind: false, SampleDeliveries.toEnRoute.dropLast())
        let orders = SampleTimeline.orders(SampleDeliveries.delivery(SampleDeliveries.toEnRoute))
        let timeline = MergedTimeline(
            orders: .body(
                .init(
                    delivery: orders.delivery,
                    entries: orders.entries + [
                        .init(
                            at: SampleDeliveries.at(13), version: orders.delivery.version, kind: "status",
                            what: "en_route",
                            by: "courier mira", reason: nil)
                    ])), estimate: .notFound, activities: .body([former]))
        func diagnosis(at minutes: Double) -> Diagnosis {
            Diagnosis(timeline, now: SampleDeliveries.at(minutes), timeZone: .gmt)
        }
        #expect(
            diagnosis(at: 14).sentence.contains("60 s ago, but activity-dispatch has only version"),
            "\(diagnosis(at: 14).sentence)")
        #expect(diagnosis(at: 14).advice?.actions == [.checkServices])
        #expect(
            !diagnosis(at: 13.1).sentence.contains("activity-dispatch has only"),
            "for some seconds it is merely on its way")
    }

    /// Mira's failed attempt, whose goods Finn has still to fetch.
    private static let attemptGivenToFinn: [DeliveryChange] =
        SampleDeliveries.toEnRoute + [
            .status(.atDoor, reason: nil), .status(.attempted, reason: nil),
            .courier(Courier(id: CourierID(rawValue: "finn")!, name: "Finn", vehicle: .bicycle, phone: nil)),
        ]

    static let diagnoses: [(changes: [DeliveryChange], sentence: String)] = [
        ([.hold(reason: "fraud check")], "It is on hold: fraud check."),
        ([.requestAddress(Address(street: "Strandgade 2"))], "The customer asks for another address."),
        (
            SampleDeliveries.toEnRoute + [.milestone(.silent, assignmentEpoch: 1)],
            "Mira's phone sends no positions, so the delivery's position is unknown."
        ),
        (
            SampleDeliveries.toEnRoute + [.status(.atDoor, reason: nil), .status(.attempted, reason: nil)],
            "Mira was at the door and could not hand it over."
        ),
        (attemptGivenToFinn, "Mira was at the door and could not hand it over."),
        (
            [.status(.accepted, reason: nil), .status(.picking, reason: nil), .status(.staged, reason: nil)],
            "It is packed and has no courier."
        ),
        (
            SampleDeliveries.toEnRoute + [.status(.delivered, reason: nil), .dispute(reason: "courier: wrong door")],
            "It ended at 17:00 as delivered, which is disputed (courier: wrong door)."
        ),
    ]

    @Test(
        "An ended delivery is early or late outside its promise only, and its promise has a beginning",
        arguments: [(5.0, "15 min early"), (30, "on time"), (49, "on time"), (57, "7 min late")])
    func punctuality(minutes: Double, text: String) {
        let delivery = SampleDeliveries.delivery(
            SampleDeliveries.toEnRoute + [.status(.atDoor, reason: nil), .status(.delivered, reason: nil)],
            at: SampleDeliveries.at(minutes))
        let timeline = MergedTimeline(
            orders: .body(.init(delivery: delivery, entries: [])), estimate: .notFound, activities: .body([]))
        let sentence = Diagnosis(timeline, now: SampleDeliveries.at(60), timeZone: .gmt).sentence
        #expect(sentence.contains("as delivered, \(text) (promised 17:20 to 17:50)"), "\(sentence)")
    }

    @Test("The arrival of the sentence is the published one, as in lists; the timeline has both")
    func published() {
        let (newest, published) = (SampleTimeline.estimate(arriving: 93), SampleTimeline.estimate(arriving: 90))
        let timeline = MergedTimeline(
            orders: .body(.init(delivery: SampleDeliveries.delivery(SampleDeliveries.toEnRoute), entries: [])),
            estimate: .body(
                EstimateBody(
                    delivery: newest.delivery, version: newest.version, step: newest.step, estimate: newest.estimate,
                    published: published.estimate, lastFixAt: newest.lastFixAt, milestones: [])),
            activities: .unavailable(reason: "no answer"))
        let sentence = Diagnosis(timeline, now: SampleDeliveries.at(14), timeZone: .gmt).sentence
        #expect(sentence.contains("about 40 min late: expected 18:30"), "\(sentence)")
        let texts = timeline.events(StoreTimes(timeZone: .gmt, now: SampleDeliveries.at(14))).map(\.text)
        #expect(
            texts.contains {
                $0.hasPrefix("estimates the arrival at 18:33") && $0.contains("; 18:30 ")
                    && $0.hasSuffix(" stays published until it differs more")
            })
    }

    private static let toDoor: [DeliveryChange] =
        SampleDeliveries.toEnRoute + [.status(.atDoor, reason: nil)]

    static let arrivals: [(changes: [DeliveryChange], at: Double, arriving: Double, text: String, advice: String)] = [
        (toDoor, 70, 52, "It is 20 min late: promised 17:20 to 17:50, and still at the door; ", "…"),
        (
            toDoor, 45, 58, "Nothing stops it: at the door, promised 17:20 to 17:50; ",
            "wait a minute; if nothing changes: …"
        ),
        (
            [.status(.accepted, reason: nil), .courier(SampleDeliveries.mira)], 120, 52,
            "It is 70 min late: promised 17:20 to 17:50, and still accepted; ",
            "call Nordhavn: it has not packed the order"
        ),
        (
            SampleDeliveries.toEnRoute, 45, 45, "Nothing stops it: on the way, promised 17:20 to 17:50; ",
            "wait a minute; if nothing changes: …"
        ),
    ]

    @Test(
        "An arrival that has passed, or is of the way to the door, is expected no more: it is as late as it is now",
        arguments: arrivals.indices)
    func passed(index: Int) {
        let (changes, minutes, arriving, text, advice) = Self.arrivals[index]
        let timeline = MergedTimeline(
            orders: .body(.init(delivery: SampleDeliveries.delivery(changes), entries: [])),
            estimate: .body(SampleTimeline.estimate(arriving: arriving)), activities: .body([]))
        let diagnosis = Diagnosis(timeline, now: SampleDeliveries.at(minutes), timeZone: .gmt)
        #expect(diagnosis.sentence.hasPrefix(text), "\(diagnosis.sentence)")
        #expect(diagnosis.advice?.words == advice)
    }

    @Test("What stops a delivery is reported first", arguments: diagnoses.indices)
    func stopped(index: Int) {
        let (changes, sentence) = Self.diagnoses[index]
        let delivery = SampleDeliveries.delivery(changes)
        let timeline = MergedTimeline(
            orders: .body(.init(delivery: delivery, entries: [])),
            estimate: .body(SampleTimeline.estimate(arriving: 61)), activities: .unavailable(reason: "no answer"))
        let diagnosis = Diagnosis(timeline, now: SampleDeliveries.at(14), timeZone: .gmt)
        #expect(diagnosis.sentence == sentence)
        #expect(diagnosis.advice != nil)
    }

    private static let needs: [(need: OperatorNeed, changes: [DeliveryChange])] = [
        (.unproven, SampleDeliveries.toEnRoute + [.proofDecision]),
        (.attempted, SampleDeliveries.toEnRoute + [.status(.atDoor, reason: nil), .status(.attempted, reason: nil)]),
        (.returning, SampleDeliveries.toEnRoute + [.status(.cancelled, reason: nil)]),
        (.held, [.hold(reason: "fraud check")]),
        (.correction, [.requestAddress(Address(street: "Strandgade 2"))]),
        (.silent, SampleDeliveries.toEnRoute + [.milestone(.silent, assignmentEpoch: 1)]),
        (.unassigned, [.courier(SampleDeliveries.mira), .courier(nil)]),
        (
            .disputed,
            SampleDeliveries.toEnRoute + [
                .status(.delivered, reason: nil), .override(.enRoute, reason: "the wrong door"),
            ]
        ),
    ]

    @Test("No delivery that needs an operator is called well")
    func needed() {
        #expect(Self.needs.map(\.need) == OperatorNeed.allCases)
        for (need, changes) in Self.needs {
            let proof = need == .unproven ? DeliveryProof(required: [ProofKind.photo]) : nil
            let delivery = SampleDeliveries.whole(changes, proof: proof)
            #expect(
                OperatorNeed(
                    delivery.status, flags: delivery.flags, isUnproven: delivery.proof?.undecidedSince != nil,
                    isCorrectionDue: delivery.correctionsDue != nil) == need)
            let body = DeliveryBody(delivery, dropOff: nil, links: [], for: Principal(.operator("ada")))
            let timeline = MergedTimeline(
                orders: .body(.init(delivery: body, entries: [])),
                estimate: .body(SampleTimeline.estimate(arriving: 40)), activities: .body([]))
            let sentence = Diagnosis(timeline, now: SampleDeliveries.at(14), timeZone: .gmt).sentence
            #expect(!sentence.hasPrefix("All is well") && !sentence.hasPrefix("Nothing stops it"), "\(sentence)")
        }
    }

    private static func advice(
        _ changes: [DeliveryChange], at minutes: Double = 14, courierHasOthers: Bool = false
    ) -> Advice? {
        let delivery = SampleDeliveries.delivery(changes)
        let timeline = MergedTimeline(
            orders: .body(.init(delivery: delivery, entries: [], courierHasOthers: courierHasOthers)),
            estimate: .notFound, activities: .body([]))
        return Diagnosis(timeline, now: SampleDeliveries.at(minutes), timeZone: .gmt).advice
    }

    private static let packed: [DeliveryChange] = [
        .status(.accepted, reason: nil), .status(.picking, reason: nil), .status(.staged, reason: nil),
    ]

    private static let disputed: [DeliveryChange] =
        SampleDeliveries.toEnRoute + [.override(.delivered, reason: "seen"), .dispute(reason: "courier: wrong door")]

    static let decisions: [(changes: [DeliveryChange], scope: OperatorScope, codes: [StatusCode])] = [
        (packed + [.proofDecision], .dispatcher, [.delivered]),
        (SampleDeliveries.toEnRoute + [.proofDecision], .dispatcher, [.delivered, .returning]),
        (SampleDeliveries.toEnRoute + [.handedOverUnconfirmed], .dispatcher, [.delivered, .returning]),
        (attemptGivenToFinn, .dispatcher, [.atDoor, .returning]),
        (attemptGivenToFinn + [.proofDecision], .dispatcher, [.delivered, .returning]),
        (
            SampleDeliveries.toEnRoute + [.status(.returning, reason: nil), .proofDecision], .dispatcher,
            [.delivered, .returned]
        ),
        (disputed, .viewer, [.delivered, .enRoute]), (disputed, .dispatcher, [.delivered]),
        (disputed, .supervisor, [.delivered, .enRoute]),
    ]

    @Test("Only a status is advised that its reader may set now", arguments: decisions.indices)
    func decided(index: Int) {
        let (changes, scope, codes) = Self.decisions[index]
        let delivery = SampleDeliveries.whole(changes, proof: DeliveryProof(required: [ProofKind.photo]))
        let reader = Principal(.operator("ada"), scope: TokenScope(operator: scope))
        let body = DeliveryBody(delivery, dropOff: nil, links: [], for: reader)
        #expect(scope == .viewer || codes.allSatisfy { body.allowed.contains($0) })
        let timeline = MergedTimeline(
            orders: .body(.init(delivery: body, entries: [])), estimate: .notFound, activities: .body([]))
        let advice = Diagnosis(timeline, now: SampleDeliveries.at(14), timeZone: .gmt).advice
        #expect(advice?.actions.last == .setStatus(codes))
        #expect(advice?.words.contains("a supervisor reopens it") == (codes == [.delivered] && body.endedAt != nil))
    }

    @Test("A hand-over by the courier's word has its customer called, and is not announced as a courier who waits")
    func handedOver() {
        let delivery = SampleDeliveries.whole(
            SampleDeliveries.toEnRoute + [.handedOverUnconfirmed], proof: DeliveryProof(required: [ProofKind.photo]))
        let body = DeliveryBody(delivery, dropOff: nil, links: [], for: Principal(.operator("ada")))
        let timeline = MergedTimeline(
            orders: .body(.init(delivery: body, entries: [])), estimate: .notFound, activities: .body([]))
        let diagnosis = Diagnosis(timeline, now: SampleDeliveries.at(14), timeZone: .gmt)
        #expect(diagnosis.sentence == "Mira handed it over by their own word: photo is missing or wrong.")
        #expect(diagnosis.advice?.actions.first == .call(.customer))
    }

    @Test("A late delivery that its store has not accepted or packed needs a call of the store")
    func lateInStore() {
        #expect(Self.advice([], at: 60)?.words == "call Nordhavn: it has not accepted the order")
        #expect(
            Self.advice([.status(.accepted, reason: nil)], at: 60)?.words
                == "call Nordhavn: it has not packed the order")
        #expect(
            Self.advice(SampleDeliveries.toEnRoute, at: 60)?.actions == [.call(.courier(name: "Mira"))])
    }

    @Test("A courier who cannot go on gives away every delivery, or the only one")
    func courierStopped() {
        let silent = SampleDeliveries.toEnRoute + [.milestone(.silent, assignmentEpoch: 1)]
        let call = OperatorAction.call(.courier(name: "Mira"))
        #expect(Self.advice(silent)?.actions == [call, .assignCourier])
        let all = OperatorAction.assignAll(from: SampleDeliveries.mira.id)
        #expect(Self.advice(silent, courierHasOthers: true)?.actions == [call, all])
        let broken = SampleDeliveries.toEnRoute + [.hold(reason: CourierProblem.vehicle.reason)]
        #expect(Self.advice(broken, courierHasOthers: true)?.actions == [all])
        #expect(Self.advice(broken)?.actions == [.assignCourier])
        let held = SampleDeliveries.toEnRoute + [.hold(reason: "fraud check")]
        #expect(Self.advice(held, courierHasOthers: true)?.actions == [.release])
    }
}
