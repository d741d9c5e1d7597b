import FlowControl
import SeededRandom
import Testing

@Suite("Timer wheel")
struct TimerWheelTests {
    @Test("Timers fire with their tick, once, also those that are turns ahead or in the past")
    func fires() {
        var wheel = TimerWheel(slots: 4, at: 10)
        wheel.set(1, at: 12)
        wheel.set(2, at: 16)
        wheel.set(3, at: 5)
        let first = wheel.fire(upTo: 11)
        let second = wheel.fire(upTo: 12)
        let again = wheel.fire(upTo: 12)
        let between = wheel.fire(upTo: 15)
        let last = wheel.fire(upTo: 16)
        #expect(first == [3] && second == [1] && again.isEmpty && between.isEmpty && last == [2])
        #expect(wheel.count == 0)
    }

    @Test("A timer that is set again fires at its new tick alone, and a removed one never")
    func changes() {
        var wheel = TimerWheel(slots: 8, at: 0)
        wheel.set(1, at: 3)
        wheel.set(1, at: 5)
        wheel.set(2, at: 3)
        wheel.remove(2)
        wheel.remove(7)
        let early = wheel.fire(upTo: 4)
        let late = wheel.fire(upTo: 5)
        #expect(early.isEmpty && late == [1])
    }

    @Test("It fires what a plain table fires", arguments: 1...50)
    func reference(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var wheel = TimerWheel(slots: Int.random(in: 1...20, using: &random), at: 0)
        var table: [Int: Int] = [:]
        var now = 0
        for _ in 0..<500 {
            let timer = Int.random(in: 0..<30, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let due = now + Int.random(in: -3...60, using: &random)
                wheel.set(timer, at: due)
                table[timer] = max(due, now + 1)
            case 2:
                wheel.remove(timer)
                table[timer] = nil
            default:
                now += Int.random(in: 1...40, using: &random)
                let fired = Set(wheel.fire(upTo: now))
                #expect(fired == Set(table.filter { $0.value <= now }.keys))
                table = table.filter { $0.value > now }
            }
            #expect(wheel.count == table.count)
        }
    }
}
