import OrderDomain
import Testing

@Suite("What needs an operator")
struct OperatorNeedTests {
    @Test("A missing proof comes first, then an attempt, the way back, a hold, a correction, silence, and no courier")
    func order() {
        let all = Set(Flag.allCases)
        #expect(OperatorNeed(.handedOver(.attempted), flags: all) == .attempted)
        #expect(OperatorNeed(.handedOver(.returning), flags: all) == .returning)
        #expect(OperatorNeed(.handedOver(.enRoute), flags: all) == .held)
        #expect(OperatorNeed(.handedOver(.enRoute), flags: all.subtracting([.onHold])) == .silent)
        #expect(OperatorNeed(.preparing(.staged, .unassigned), flags: []) == .unassigned)
        #expect(OperatorNeed(.preparing(.picking, .unassigned), flags: [.reassigning]) == .unassigned)
        #expect(OperatorNeed(.handedOver(.enRoute), flags: [.disputed]) == .disputed)
        #expect(OperatorNeed.allCases == OperatorNeed.allCases.sorted())
        #expect(
            OperatorNeed(.handedOver(.attempted), flags: all, isUnproven: true, isCorrectionDue: true) == .unproven)
        #expect(OperatorNeed(.handedOver(.enRoute), flags: all, isCorrectionDue: true) == .held)
        let silent: Set<Flag> = [.courierSilent]
        #expect(OperatorNeed(.handedOver(.enRoute), flags: silent, isCorrectionDue: true) == .correction)
        for status in DeliveryStatus.all where status.isEnded {
            #expect(OperatorNeed(status, flags: all) == nil, "an operator has decided")
            #expect(OperatorNeed(status, flags: all, hasOpenDispute: true) == .disputed)
        }
    }

    @Test("A delivery that is only late, waits for its customer or has no courier yet needs nobody")
    func none() {
        #expect(OperatorNeed(.preparing(.picking, .unassigned), flags: [.delayed, .needsCustomer]) == nil)
        #expect(OperatorNeed(.handedOver(.atDoor), flags: [.courierSilent]) == nil, "the courier is with the customer")
        #expect(OperatorNeed(.handedOver(.enRoute), flags: [.delayed, .batched, .rescheduled]) == nil)
        #expect(OperatorNeed.rank(nil) > OperatorNeed.rank(.disputed))
    }
}
