import Foundation
import OrderDomain
import Testing

@testable import ArrivalEstimate

@Suite("Bad reception")
struct SignalDegradationTests {
    private let fixes = ride(lasting: 6_000, interval: 5)

    @Test("A fifth is lost, a tenth comes up to three minutes late, and none comes early")
    func lostAndLate() {
        let received = SignalDegradation.applied(to: fixes, seed: 4)
        #expect((0.75...0.85).contains(Double(received.count) / Double(fixes.count)))
        let delays = received.map { $0.receivedAt.timeIntervalSince($0.fix.time) }
        #expect(delays.allSatisfy { (0...180).contains($0) })
        #expect((0.06...0.14).contains(Double(delays.filter { $0 > 0 }.count) / Double(delays.count)))
    }

    @Test("Fixes are off by some metres, on average by nothing, and keep their times")
    func off() {
        let received = SignalDegradation.applied(to: fixes, seed: 5)
        let places = Dictionary(uniqueKeysWithValues: fixes.map { ($0.time, $0.place) })
        let offsets = received.compactMap { one in places[one.fix.time].map { $0.offset(to: one.fix.place) } }
        #expect(offsets.count == received.count)
        #expect(offsets.allSatisfy { hypot($0.north, $0.east) < 64 })
        #expect(abs(offsets.reduce(0) { $0 + $1.north } / Double(offsets.count)) < 3)
        let square = offsets.reduce(0) { $0 + $1.east * $1.east } / Double(offsets.count)
        #expect((12...18).contains(square.squareRoot()))
    }

    @Test("The same seed is the same bad luck, and another is another")
    func repeatable() {
        let times = [6, 6, 7].map { SignalDegradation.applied(to: fixes.shuffled(), seed: $0).map(\.receivedAt) }
        #expect(times[0] == times[1] && times[0] != times[2])
    }
}
