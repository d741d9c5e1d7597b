import OrderDomain
import Testing

@testable import Orders

@Suite("Counting live deliveries")
struct LiveDeliveriesTests {
    private func group(
        _ status: DeliveryStatus, _ flags: Set<Flag> = [], count: Int = 1, late: Int = 0, atRisk: Int = 0
    ) -> LiveDeliveries.Group {
        .init(status: status, flags: flags, count: count, late: late, atRisk: atRisk)
    }

    @Test("Every status of a live delivery counts in one phase, and an ended one in none")
    func phases() {
        for status in DeliveryStatus.all {
            let counted = LiveDeliveries([group(status, count: 3)])
            #expect(counted.byPhase.values.reduce(0, +) == (status.isEnded ? 0 : 3), "\(status)")
            #expect(counted.byPhase[.ended] == nil)
        }
    }

    @Test("Without any delivery every phase and every status of a store is there, as 0")
    func empty() {
        let counted = LiveDeliveries([])
        #expect(
            counted.byPhase == [
                .received: 0, .picking: 0, .packed: 0, .onTheWay: 0, .arriving: 0, .atDoor: 0, .problem: 0,
            ])
        #expect(counted.unassigned == [.placed: 0, .accepted: 0, .picking: 0, .staged: 0])
    }

    @Test("Groups add up: late, at risk, silent, and who has no courier by how far the store is")
    func sums() {
        let counted = LiveDeliveries([
            group(.preparing(.staged, .unassigned), count: 2, late: 1), group(.preparing(.staged, .assigned), count: 5),
            group(.preparing(.staged, .unassigned), [.needsCustomer], count: 4, atRisk: 3),
            group(.preparing(.placed, .unassigned), count: 7),
            group(.handedOver(.enRoute), [.courierSilent, .delayed], count: 6, late: 6),
            group(.handedOver(.enRoute), [.onHold, .courierSilent], count: 1),
        ])
        #expect(counted.unassigned == [.placed: 7, .accepted: 0, .picking: 0, .staged: 6])
        #expect(counted.late == 7 && counted.atRisk == 3 && counted.silent == 7)
        #expect(counted.byPhase[.packed] == 11 && counted.byPhase[.onTheWay] == 6 && counted.byPhase[.problem] == 1)
    }
}
