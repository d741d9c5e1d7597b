import DeliverySamples
import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import CourierSimulation

@Suite("Made-up ways")
struct StreetRouteTests {
    static let start = Date(timeIntervalSince1970: 1_795_280_400)

    static func plan(seed: UInt64, isPressing: Bool = true) -> RidePlan {
        .alongStreets(
            to: [SampleDeliveries.delivery(door: 55.7205), SampleDeliveries.delivery(number: 2, door: 55.7255)],
            from: start,
            metersPerSecond: 5, every: 5, isPressing: isPressing, seed: seed)
    }

    @Test("The same seed makes the same way, another seed another")
    func seeds() {
        #expect(Self.plan(seed: 3) == Self.plan(seed: 3))
        #expect(Self.plan(seed: 3) != Self.plan(seed: 4))
    }

    @Test("It begins at the store and ends at the last door, within the noise")
    func ends() throws {
        let fixes = Self.plan(seed: 1).ride.fixes
        let first = try #require(fixes.first)
        let last = try #require(fixes.last)
        #expect(first.place.distance(to: SampleDeliveries.delivery().store.location) < 6 * StreetRoute.noiseMeters)
        let door = try #require(SampleDeliveries.delivery(door: 55.7255).door)
        #expect(last.place.distance(to: door) < 6 * StreetRoute.noiseMeters)
        #expect(first.time == Self.start)
    }

    @Test("No courier is faster than asked for, noise left aside", arguments: 1...20 as ClosedRange<UInt64>)
    func speed(seed: UInt64) {
        let fixes = Self.plan(seed: seed).ride.fixes
        for (one, next) in zip(fixes, fixes.dropFirst()) {
            #expect(next.time.timeIntervalSince(one.time) == 5)
            #expect(one.place.distance(to: next.place) < 5 * 5 + 12 * StreetRoute.noiseMeters)
        }
    }

    @Test("Everything is picked up first, then handed over door by door")
    func presses() {
        let presses = Self.plan(seed: 1).presses
        #expect(presses.map(\.status) == [.pickedUp, .pickedUp, .atDoor, .delivered, .atDoor, .delivered])
        #expect(presses.map(\.at) == presses.map(\.at).sorted())
        #expect(presses[2].delivery == presses[3].delivery)
        #expect(presses[2].delivery != presses[4].delivery)
        #expect(Self.plan(seed: 1, isPressing: false).presses.isEmpty)
    }

    @Test("A courier who stands still is later by just that, in the same place meanwhile")
    func halted() throws {
        let plan = Self.plan(seed: 4)
        let halted = plan.disrupted(by: .halted(after: 120, seconds: 300))
        #expect(halted.ride.duration == plan.ride.duration + 300)
        let standing = halted.ride.fixes.filter {
            (120...420).contains($0.time.timeIntervalSince(Self.start))
        }
        #expect(standing.count == 61 && Set(standing.map(\.place)).count == 1)
        for (one, next) in zip(halted.ride.fixes, halted.ride.fixes.dropFirst()) {
            #expect(next.time.timeIntervalSince(one.time) == 5)
        }
        for (press, former) in zip(halted.presses, plan.presses) {
            #expect(press.at == (former.status == .pickedUp ? former.at : former.at.addingTimeInterval(300)))
        }
    }

    @Test("A phone without network keeps its fixes and sends them all at the end of it")
    func offline() {
        let plan = Self.plan(seed: 4)
        let offline = plan.disrupted(by: .offline(after: 100, seconds: 330))
        #expect(offline.ride.fixes.map(\.time) == plan.ride.fixes.map(\.time) && offline.presses == plan.presses)
        let sent = offline.ride.fixes.map { $0.sentAt.timeIntervalSince(Self.start) }
        #expect(sent == sent.sorted() && !sent.contains { (100..<430).contains($0) })
        #expect(sent.count { $0 == 430 } == 67)
    }
}
