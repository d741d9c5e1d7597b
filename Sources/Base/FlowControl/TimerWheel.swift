/// A timer wheel: setting, removing and firing a timer cost the same for any number of timers.
///
/// A tick is a unit of the caller's choice, such as a second. The wheel reads no clock.
public struct TimerWheel: Sendable {
    private var slots: [[Int: Int]]
    private var slotsByTimer: [Int: Int] = [:]
    /// The last tick that was fired.
    private var tick: Int

    /// - Parameters:
    ///   - slots: ticks per turn; a timer beyond one turn is inspected once each turn.
    ///   - tick: the current one.
    public init(slots: Int = 64, at tick: Int) {
        self.slots = Array(repeating: [:], count: max(1, slots))
        self.tick = tick
    }

    public var count: Int { slotsByTimer.count }

    /// Sets a timer, replacing its former tick; a tick in the past is due with the next tick.
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

    /// Advances to a tick; removes and returns the timers due by then, unordered.
    public mutating func fire(upTo now: Int) -> [Int] {
        guard now > tick else { return [] }
        // After a pause of more than a turn, each slot is inspected once.
        let passed = (max(tick + 1, now - slots.count + 1)...now).flatMap { passed in
            slots[passed % slots.count].filter { $0.value <= now }.keys
        }
        tick = now
        for timer in passed { remove(timer) }
        return passed
    }
}
