import FaultInjection
import Testing

@Suite("Fault plan")
struct FaultPlanTests {
    @Test("A plan is the same for the same seed, and another for another")
    func repeatable() {
        let plan = FaultPlan(seed: 7, length: .minutes(3))
        #expect(plan == FaultPlan(seed: 7, length: .minutes(3)))
        #expect(plan != FaultPlan(seed: 8, length: .minutes(3)))
        #expect(plan.rounds.count == 3)
    }

    @Test("A longer run begins as a shorter one does")
    func prefix() {
        let short = FaultPlan(seed: 3, length: .minutes(2))
        let long = FaultPlan(seed: 3, length: .minutes(5))
        #expect(Array(long.rounds.prefix(2)) == short.rounds)
    }

    @Test("A fault comes each one to three seconds, and none to what the one before has just left")
    func spacing() {
        for seed in UInt64(1)...20 {
            for round in FaultPlan(seed: seed, length: .minutes(1)).rounds {
                #expect((15...60).contains(round.count))
                var last: [String: PlannedFault] = [:]
                for fault in round {
                    #expect(fault.kind.targets.contains(fault.target))
                    #expect(fault.kind.lasts.contains(fault.lasts))
                    if let former = last[fault.resource] { #expect(fault.at >= former.at + former.lasts) }
                    last[fault.resource] = fault
                }
            }
        }
    }

    @Test("Only the kinds that are asked for are injected")
    func kinds() {
        let plan = FaultPlan(seed: 5, length: .minutes(2), kinds: [.kill, .setBackStore])
        #expect(Set(plan.rounds.flatMap { $0.map(\.kind) }) == [.kill, .setBackStore])
    }

    @Test("So many kills are planned as were asked for, and every kind is drawn, of everything that it may be done to")
    func kills() {
        let plan = FaultPlan(seed: 1, length: .kills(1_000))
        let faults = plan.rounds.flatMap(\.self)
        #expect((1_000..<1_080).contains(faults.count(where: \.kind.isKill)))
        #expect(Set(faults.map(\.kind)) == Set(FaultKind.allCases))
        #expect(Set(faults.map(\.target)) == Set(FaultTarget.allCases))
        // A kill at least every two seconds, so that a thousand fit into half an hour.
        #expect(Double(plan.rounds.count) * FaultPlan.roundSeconds / 1_000 < 2)
    }
}
