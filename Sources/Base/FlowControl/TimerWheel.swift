/// Timers by the tick in which they are due: setting one, removing one and firing cost the same however many there are.
///
/// A tick is whatever the caller counts, such as seconds. It keeps no time of its own.
public struct TimerWheel: Sendable {
    private var slots: [[Int: Int]]
    private var slotsByTimer: [Int: Int] = [:]
    /// The last tick that was fired.
    private var tick: Int

    /// - Parameters:
    ///   - slots: ticks of one turn; a timer that is further ahead costs a look each turn.
    ///   - tick: the current one.
    public init(slots: Int = 64, at tick: Int) {
        self.slots = Array(repeating: [:], count: max(1, slots))
        self.tick = tick
    }

    public var count: Int { slotsByTimer.count }

    /// Sets a timer, in place of what it was set to; one of the past is due with the next tick.
    public mutating func set(_ timer: Int, at due: Int) {
        remove(timer)
        let due = max(due, tick + 1)
        let slot = due % slots.count
        slots[slot][timer] = due
        slotsByTimer[timer] = slot
    }

    public mutating func remove(_ timer: Int) {
        guard let slot = slotsByTimer.removeValue(forKey: timer) else { return }
        slots[slot][timer] = nil
    }

    /// Goes on to a tick, and removes and returns the timers that are due by then, in no order.
    public mutating func fire(upTo now: Int) -> [Int] {
        guard now > tick else { return [] }
        // After a pause of more than a turn, each slot is looked at once.
        let passed = (max(tick + 1, now - slots.count + 1)...now).flatMap { passed in
            slots[passed % slots.count].filter { $0.value <= now }.keys
        }
        tick = now
        for timer in passed { remove(timer) }
        return passed
    }
}
