import OrderDomain
import Testing

@testable import ArrivalEstimate

@Suite("Stays at stops")
struct DwellTimesTests {
    @Test("Without history the constants hold, at every store")
    func builtIn() {
        #expect(DwellTimes.fit([]) == .builtIn)
        #expect(DwellTimes.builtIn.doorSeconds == 120 && DwellTimes.builtIn.storeSeconds("any") == 240)
    }

    @Test("A few dwells move it a little, many all the way")
    func shrunk() {
        func door(_ count: Int) -> Double {
            DwellTimes.fit((0..<count).map { _ in Dwell(.door, seconds: 220) }).doorSeconds
        }
        #expect(door(1) > 120 && door(1) < 130)
        #expect(door(20) == 170)
        #expect(door(2_000) > 218 && door(2_000) < 220)
    }

    @Test("A store with history has its own, drawn to all stores; another one is like all of them")
    func stores() {
        let fitted = DwellTimes.fit(
            (0..<100).map { _ in Dwell(.store, store: "slow", seconds: 900) }
                + (0..<300).map { _ in Dwell(.store, store: "usual", seconds: 300) }
                + [Dwell(.store, store: "rare", seconds: 3_000)])
        #expect(fitted.storeSeconds("slow") > 750 && fitted.storeSeconds("slow") < 900)
        #expect(abs(fitted.storeSeconds("usual") - 300) < 5)
        #expect(fitted.storeSeconds("rare") < 450)
        #expect(fitted.storeSeconds("new") == fitted.store && abs(fitted.store - 300) < 5)
        #expect(fitted.doorSeconds == 120)
    }

    @Test("An implausible dwell is ignored", arguments: [-1.0, .nan, .infinity, 3_601])
    func nonsense(seconds: Double) {
        #expect(DwellTimes.fit((0..<100).map { _ in Dwell(.door, seconds: seconds) }) == .builtIn)
    }
}
