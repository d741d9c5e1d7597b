import Foundation
import Testing

@testable import ActivityDispatch

@Suite("Ids of a device's events")
struct EventIDTests {
    @Test("An id is not lower than the clock, so that those after a restore follow all that were given out before it")
    func afterRestore() {
        let backedUpAt = noon
        var restored = DeviceEvent.nextID(after: 0, at: backedUpAt)
        // Lost with the database, and a device has it.
        let lost = DeviceEvent.nextID(after: restored, at: backedUpAt + 60)
        restored = DeviceEvent.nextID(after: restored, at: backedUpAt + 61)
        #expect(restored > lost)
    }

    @Test("Ids rise by one at least, within a millisecond and while the clock goes back")
    func rises() {
        let first = DeviceEvent.nextID(after: 0, at: noon)
        #expect(first == 1_795_262_400_000)
        #expect(DeviceEvent.nextID(after: first, at: noon) == first + 1)
        #expect(DeviceEvent.nextID(after: first, at: noon - 3600) == first + 1)
    }

    @Test("A card that has left the screen is not started again, and a reader that has it is sent nothing but its end")
    func dismissed() {
        func sent(isEnd: Bool, after id: Int) -> [Int] {
            let event = DeviceEvent(
                id: 3, startID: 1, isEnd: isEnd, data: "newest", startData: "start", isDismissed: true)
            return DeviceEvent.sent([event], after: id).map(\.id)
        }
        #expect(sent(isEnd: false, after: 0).isEmpty && sent(isEnd: false, after: 1).isEmpty)
        #expect(sent(isEnd: true, after: 0).isEmpty && sent(isEnd: true, after: 1) == [3])
    }
}
