import Testing

@testable import ServiceRuntime

@Suite("The wake-ups of a stream", .timeLimit(.minutes(10)))
struct StreamSignalTests {
    @Test("Wake-ups without a waiter are kept, once for each kind, and events come first")
    func kept() async {
        let signal = StreamSignal()
        signal.heartbeat()
        signal.notify()
        signal.notify()
        #expect(await signal.next() == .events)
        #expect(signal.isHeartbeatDue)
        #expect(await signal.next() == .heartbeat)
        #expect(!signal.isHeartbeatDue)
        signal.end()
        #expect(await signal.next() == nil)
    }

    @Test("All events include an update, which comes alone where nothing else is due")
    func updates() async {
        let signal = StreamSignal()
        signal.notifyUpdate()
        signal.notify()
        #expect(await signal.next() == .events)
        signal.notifyUpdate()
        signal.notifyUpdate()
        signal.heartbeat()
        #expect(await signal.next() == .update)
        #expect(await signal.next() == .heartbeat)
    }

    @Test("A heartbeat that was written with events wakes nobody afterwards")
    func heartbeatTaken() async {
        let signal = StreamSignal()
        signal.heartbeat()
        #expect(signal.takeHeartbeat())
        #expect(!signal.takeHeartbeat())
        signal.notify()
        #expect(await signal.next() == .events)
    }

    @Test("The end comes before whatever waits, and stays")
    func ended() async {
        let signal = StreamSignal()
        signal.notify()
        signal.end()
        signal.heartbeat()
        #expect(await signal.next() == nil)
        #expect(await signal.next() == nil)
    }

    @Test("A wake-up resumes the waiter", arguments: [StreamSignal.Wake.events, .update, .heartbeat, nil])
    func resumed(_ wake: StreamSignal.Wake?) async {
        let signal = StreamSignal()
        async let next = signal.next()
        switch wake {
        case .events: signal.notify()
        case .update: signal.notifyUpdate()
        case .heartbeat: signal.heartbeat()
        case nil: signal.end()
        }
        #expect(await next == wake)
    }

    @Test("The waiter's cancellation ends the stream, before the wait and during it")
    func cancelled() async {
        for _ in 0..<100 {
            let signal = StreamSignal()
            let waiting = Task { await signal.next() }
            waiting.cancel()
            #expect(await waiting.value == nil)
        }
    }
}
