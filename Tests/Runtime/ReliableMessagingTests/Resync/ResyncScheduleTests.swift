import Testing

@testable import ReliableMessaging

@Suite("When what was written is compared")
struct ResyncScheduleTests {
    private func reader(_ settled: UInt64, of last: UInt64, isIdle: Bool = false) -> ResyncSchedule.Reader {
        .init(stream: "S", lastSequence: last, settledSequence: settled, isIdle: isIdle)
    }

    private final class Service {
        var schedule = ResyncSchedule()

        /// Which of the next checks compare.
        func checks(_ count: Int, _ readers: [ResyncSchedule.Reader] = [], fails: Bool = false) -> [Bool] {
            (0..<count).map { _ in
                let isDue = schedule.isDue(with: readers)
                if isDue, !fails { schedule.done() }
                return isDue
            }
        }
    }

    @Test("A loss is compared at once and after two checks, a new connection after one and three")
    func when() {
        let service = Service()
        #expect(service.checks(2) == [false, false])
        service.schedule.lost()
        #expect(service.checks(4) == [true, false, true, false])
        service.schedule.connected(1)
        #expect(service.checks(5) == [false, true, false, true, false])
        service.schedule.connected(1)
        #expect(service.checks(2) == [false, false])
        service.schedule.connected(2)
        #expect(service.checks(2) == [false, true])
    }

    @Test("A comparison that fails is made at the next check")
    func failed() {
        let service = Service()
        service.schedule.lost()
        #expect(service.checks(3, fails: true) == [true, true, true])
        #expect(service.checks(4) == [true, false, true, false])
    }

    @Test("A comparison that a reader did not answer is made again two checks later, three times")
    func unanswered() {
        var schedule = ResyncSchedule()
        schedule.lost()
        let due = (0..<14).map { _ in
            let isDue = schedule.isDue(with: [])
            if isDue { schedule.done(isComplete: false) }
            return isDue
        }
        #expect(due.indices.filter { due[$0] } == [0, 2, 4, 6])
    }

    @Test("It waits until readers have read what was there when it was due, not what came since")
    func behind() {
        let service = Service()
        service.schedule.lost()
        #expect(service.checks(1, [reader(5, of: 20), reader(20, of: 20)]) == [false])
        #expect(service.checks(1, [reader(19, of: 40), reader(40, of: 40)]) == [false])
        #expect(service.checks(1, [reader(20, of: 90), reader(40, of: 90)]) == [true])
        // The second time too, and one that reads other subjects of the stream has nothing to read.
        #expect(service.checks(2, [reader(5, of: 90, isIdle: true), reader(88, of: 90)]) == [false, false])
        #expect(service.checks(1, [reader(5, of: 90, isIdle: true), reader(90, of: 99)]) == [true])
    }

    @Test("A reader that does not catch up is not waited for without end")
    func patience() {
        let service = Service()
        service.schedule.lost()
        let waits = Array(repeating: false, count: ResyncSchedule.patience)
        #expect(service.checks(ResyncSchedule.patience + 1, [reader(5, of: 20)]) == waits + [true])
    }
}
