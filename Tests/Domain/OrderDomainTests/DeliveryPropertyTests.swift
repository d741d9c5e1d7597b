import Foundation
import OrderDomain
import SeededRandom
import Testing
import WireCoding

@Suite("Any sequence of changes")
struct DeliveryPropertyTests {
    @Test("It keeps every invariant, a refusal changes nothing, and JSON keeps every delivery", arguments: 0..<16)
    func invariants(block: Int) throws {
        for seed in 0..<250 {
            var random = SeededGenerator(seed: UInt64(block * 250 + seed))
            var delivery = placedDelivery(verification: Bool.random(using: &random) ? .none : .pin)
            var changes = 0
            for step in 0..<40 {
                let change = randomChange(using: &random, epoch: delivery.assignmentEpoch)
                let before = delivery
                do {
                    if try delivery.apply(change, at: minutes(Double(step))) { changes += 1 }
                } catch {
                    #expect(delivery == before, "\(change) was refused (\(error)) and yet changed something")
                }
                if delivery != before {
                    let reversal = DeliveryReversal(from: before, to: delivery)
                    #expect(reversal(delivery) == before, "\(change) cannot be reverted")
                    let written = try WireJSON.encode(reversal)
                    #expect(try WireJSON.decode(DeliveryReversal.self, from: written) == reversal)
                }
                if let broken = brokenInvariant(in: delivery, after: before, changes: changes) {
                    Issue.record("seed \(block * 250 + seed), step \(step), \(change): \(broken)")
                    return
                }
            }
            #expect(try WireJSON.decode(Delivery.self, from: WireJSON.encode(delivery)) == delivery)
        }
    }

    private func brokenInvariant(in now: Delivery, after before: Delivery, changes: Int) -> String? {
        let hasProposal = now.items.contains { $0.status == .substituteProposed }
        let isSettled = before.disputedAt != nil && now.disputedAt == nil && now.status == before.status
        let keepsDispute = !before.flags.contains(.disputed) || now.flags.contains(.disputed) || isSettled
        let invariants: [(Bool, String)] = [
            (now.version == changes + 1, "the version counts the changes"),
            (now == before || now.version == before.version + 1, "each change raises the version by one"),
            ((now.endedAt != nil) == now.status.isEnded, "what ended has a time of its end, nothing else does"),
            (
                !now.status.isEnded || now.flags.isSubset(of: [.disputed, .rescheduled, .delayed]),
                "an end keeps only the flags of its record"
            ),
            (now.flags.contains(.needsCustomer) == hasProposal, "needs_customer is an open proposal"),
            ((now.needsCustomerUntil != nil) == hasProposal, "an open proposal has a deadline"),
            (now.flags.contains(.batched) == (now.stopsBefore > 0), "batched is stops before"),
            (
                now.flags.contains(.rescheduled) == (now.promise != now.originalPromise),
                "rescheduled is a moved promise"
            ),
            (now.flags.contains(.disputed) || now.episode == 1, "a new episode is disputed"),
            (keepsDispute, "a dispute stays on record until an operator settles it"),
            (now.disputedAt == nil || now.status.isEnded && now.flags.contains(.disputed), "an end is disputed"),
            (!now.status.isEnded || now.brokenDownCourier == nil, "an end forgets whose vehicle broke down"),
            (now.leftUndone == nil || now.flags.contains(.onHold), "only a held delivery was left undone"),
            (now.episode >= before.episode, "episodes rise"),
            (now.assignmentEpoch >= before.assignmentEpoch, "assignment epochs rise"),
            (
                before.courier?.id == now.courier?.id || now.assignmentEpoch > before.assignmentEpoch,
                "a new courier is a new epoch"
            ),
            (
                now.status.courierStatus == nil || (now.courier == nil) == (now.status.courierStatus == .unassigned),
                "assigned means a courier"
            ),
            (now.pickedUpAt == nil || now.status.courierStatus == nil, "nothing in the store is picked up"),
            (
                now.items.allSatisfy { (0...$0.quantity).contains($0.foundQuantity) },
                "the bag holds at most what was ordered"
            ),
            (now.holder == Holder(now.status, flags: now.flags), "the holder follows from status and flags"),
            (now.correctionsDue.map { !$0.isEmpty && !now.status.isEnded } ?? true, "an end waits for no correction"),
            (Set(now.items.map(\.id)).count == now.items.count, "an item is in the basket once"),
            (now.reopenedFrom == nil || now.episode > 1, "a first episode was not reopened"),
        ]
        return invariants.first { !$0.0 }?.1
    }
}

@Suite("JSON of a delivery")
struct DeliveryWireTests {
    @Test("A status is its code, with the courier's beside it until pickup", arguments: DeliveryStatus.all)
    func statuses(status: DeliveryStatus) throws {
        let data = try WireJSON.encode(status)
        #expect(try WireJSON.decode(DeliveryStatus.self, from: data) == status)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: String])
        #expect(object["status"] == status.code.rawValue)
        #expect(object["courierStatus"] == status.courierStatus?.rawValue)
    }

    @Test(
        "Impossible statuses are refused",
        arguments: [
            #"{"status":"at_store"}"#, #"{"status":"picking"}"#, #"{"status":"teleported"}"#, #"{}"#,
        ])
    func impossibleStatuses(json: String) {
        #expect(throws: DecodingError.self) { try WireJSON.decode(DeliveryStatus.self, from: Data(json.utf8)) }
    }

    @Test("Values with rules refuse what breaks the rules")
    func rules() {
        #expect(Coordinate(latitude: 90.1, longitude: 0) == nil && Coordinate(latitude: .nan, longitude: 0) == nil)
        #expect(Promise(start: start, end: start) == nil)
        #expect(Handoff(method: .leaveAtDoor, verification: .signature) == nil)
        #expect(CourierID(rawValue: "a.b") == nil && CourierID(rawValue: "") == nil)
        #expect(CourierID(rawValue: String(repeating: "x", count: 65)) == nil)
        #expect(DeliveryID(rawValue: "not-a-uuid") == nil)
        #expect(DeliveryID(rawValue: "0b9f8a529-d6e-4a8e-9a55-3f1f1a2b3c4d") == nil)
        #expect(DeliveryID(rawValue: "0b9f8a52-9d6e-4a8e-9a55-3f1f1a2b3c4g") == nil)
        #expect(
            DeliveryID(rawValue: "0B9F8A52-9D6E-4A8E-9A55-3F1F1A2B3C4D")?.rawValue
                == "0b9f8a52-9d6e-4a8e-9a55-3f1f1a2b3c4d")
        for json in [#"{"latitude":91,"longitude":0}"#, #"{"latitude":0,"longitude":181}"#] {
            #expect(throws: DecodingError.self) { try WireJSON.decode(Coordinate.self, from: Data(json.utf8)) }
        }
        let verified = #"{"method":"leave_at_door","verification":"pin"}"#
        #expect(throws: DecodingError.self) { try WireJSON.decode(Handoff.self, from: Data(verified.utf8)) }
    }
}

private func randomChange(using random: inout SeededGenerator, epoch: Int) -> DeliveryChange {
    func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
    let item = pick([milk, eggs, itemID("bread")])
    switch Int.random(in: 0..<18, using: &random) {
    case 0...3: return .status(pick(StatusCode.allCases), reason: pick([nil, "because"]))
    case 4: return .override(pick(StatusCode.allCases), reason: "by hand")
    case 5, 6: return .courier(pick([anna, ben, nil]))
    case 7: return .stopsBefore(pick([-1, 0, 0, 1, 3]))
    case 8, 9:
        return .item(
            item,
            pick([
                .found(quantity: pick([-1, 0, 1, 2, 10])), .outOfStock, .removed, .refunded, .substituted(soyMilk),
                .proposed(oatMilk, answerUntil: minutes(45)), .proposed(soyMilk, answerUntil: minutes(50)),
            ]))
    case 10: return .answer(item, proposal: pick([0, 1, 2, 3]), isApproved: pick([true, false]))
    case 11: return .answerOverdue(item, proposal: pick([0, 1, 2]))
    case 12:
        let feedback = DeliveryChange.feedback(pick(DeliveryFeedback.Kind.allCases), items: pick([[], [item]]))
        return pick([.leaveAtDoor, .handToCustomer, .dispute(reason: "doubt"), .release, feedback, feedback])
    case 13: return .promise(pick([promise(60, 90), promise(70, 100)]))
    case 14: return .hold(reason: pick(["rain", CourierProblem.vehicle.reason, CourierProblem.noAccess.reason]))
    case 15: return .correct(DropOffCorrection(texts: pick([[.note: "new"], [.recipientName: "Ole"], [:]])))
    case 16:
        return pick([
            .requestAddress(Address(street: "Strandgade 2")), .settleCorrection(.decision),
            .settleCorrection(.provider),
            .addItems([Item(id: item, name: "Bread", quantity: 1, ifUnavailable: .refund)]),
        ])
    default: return .milestone(pick(Milestone.allCases), assignmentEpoch: pick([epoch, epoch, epoch - 1]))
    }
}
