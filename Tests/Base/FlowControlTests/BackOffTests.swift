import FlowControl
import Testing

@Suite("Back-off")
struct BackOffTests {
    @Test("Waits double, stay below their limit, and jitter only shortens them")
    func delays() {
        let backOff = BackOff(first: .milliseconds(250), longest: .seconds(15))
        #expect(
            [1, 2, 3, 6, 7, 100, .max].map { backOff.delay(failures: $0) / .milliseconds(1) }
                == [250, 500, 1_000, 8_000, 15_000, 15_000, 15_000])
        #expect(backOff.delay(failures: 1, jitter: 1) == .milliseconds(200))
        #expect(backOff.delay(failures: 0) == .milliseconds(250))
    }

    @Test("Jitter takes the share away that its owner allows, of the longest wait too")
    func jitterShare() {
        let backOff = BackOff(first: .milliseconds(500), longest: .seconds(15), jitterShare: 0.5)
        let waits = (1...20).map { backOff.delay(failures: $0) }
        #expect(waits.first == .milliseconds(500))
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(waits.last == .seconds(15))
        #expect(backOff.delay(failures: 21, jitter: 1) == .seconds(15) / 2)
    }
}
