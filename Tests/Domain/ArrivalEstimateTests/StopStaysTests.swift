import Testing

@testable import ArrivalEstimate

@Suite("Stays at stops")
struct StopStaysTests {
    @Test("Without history the constants hold, at every store")
    func builtIn() {
        #expect(StopStays.fit([]) == .builtIn)
        #expect(StopStays.builtIn.doorSeconds == 120 && StopStays.builtIn.storeSeconds("any") == 240)
    }

    @Test("A few stays move it a little, many as far as they say")
    func shrunk() {
        func door(_ count: Int) -> Double {
            StopStays.fit((0..<count).map { _ in StopStay(.door, seconds: 220) }).doorSeconds
        }
        #expect(door(1) > 120 && door(1) < 130)
        #expect(door(20) == 170)
        #expect(door(2_000) > 218 && door(2_000) < 220)
    }

    @Test("A store with history has its own, drawn to all stores; another one is like all of them")
    func stores() {
        let fitted = StopStays.fit(
            (0..<100).map { _ in StopStay(.store, store: "slow", seconds: 900) }
                + (0..<300).map { _ in StopStay(.store, store: "usual", seconds: 300) }
                + [StopStay(.store, store: "rare", seconds: 3_000)])
        #expect(fitted.storeSeconds("slow") > 750 && fitted.storeSeconds("slow") < 900)
        #expect(abs(fitted.storeSeconds("usual") - 300) < 5)
        #expect(fitted.storeSeconds("rare") < 450)
        #expect(fitted.storeSeconds("new") == fitted.store && abs(fitted.store - 300) < 5)
        #expect(fitted.doorSeconds == 120)
    }

    @Test("What cannot be a stay teaches nothing", arguments: [-1.0, .nan, .infinity, 3_601])
    func nonsense(seconds: Double) {
        #expect(StopStays.fit((0..<100).map { _ in StopStay(.door, seconds: seconds) }) == .builtIn)
    }
}
