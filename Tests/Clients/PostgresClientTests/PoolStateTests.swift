import TestSupport
import Testing

@testable import PostgresClient

@Suite("Pool state")
struct PoolStateTests {
    struct Connection: Identifiable, Equatable { let id: Int }
    typealias State = PoolState<Connection, String>

    private func pool(_ connectionsMax: Int, waitersMax: Int = 10) -> State {
        State(connectionsMax: connectionsMax, waitersMax: waitersMax)
    }

    private func described(_ actions: [State.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .connect: "connect"
            case .backOff(let pause): "back off \(pause.milliseconds)"
            case .hand(let connection, let waiter): "\(connection.id) to \(waiter)"
            case .refuse(let waiter, let error): "refuse \(waiter): \(error.code)"
            case .close(let connection): "close \(connection.id)"
            case .retired: "retired"
            case .drained: "drained"
            }
        }
    }

    private let failure = PostgresError(.connection, "refused")

    @Test("Callers get connections in the order they came")
    func order() {
        var state = pool(1)
        #expect(described(state.acquire("a", id: 1)) == ["connect"])
        #expect(described(state.acquire("b", id: 2)) == [])
        #expect(described(state.acquire("c", id: 3)) == [])
        #expect(described(state.connected(Connection(id: 1))) == ["1 to a"])
        #expect(described(state.release(Connection(id: 1), isReusable: true)) == ["1 to b"])
        #expect(described(state.release(Connection(id: 1), isReusable: true)) == ["1 to c"])
        #expect(described(state.release(Connection(id: 1), isReusable: true)) == [])
        #expect(described(state.acquire("d", id: 4)) == ["1 to d"])
    }

    @Test("No more connections are opened than allowed, nor than are wanted")
    func bound() {
        var state = pool(2)
        #expect(described(state.acquire("a", id: 1)) == ["connect"])
        #expect(described(state.acquire("b", id: 2)) == ["connect"])
        #expect(described(state.acquire("c", id: 3)) == [])
        #expect(described(state.connected(Connection(id: 1))) == ["1 to a"])
        #expect(described(state.connected(Connection(id: 2))) == ["2 to b"])
        #expect(state.connectionCount == 2)
    }

    @Test("A server that takes no writes loses every connection, once, and the pool is ready when it has a new one")
    func readOnly() {
        var state = pool(3)
        for (id, name) in [(1, "a"), (2, "b"), (3, "c")] {
            _ = state.acquire(name, id: id)
            _ = state.connected(Connection(id: id))
        }
        _ = state.release(Connection(id: 1), isReusable: true)
        #expect(
            described(state.release(Connection(id: 2), isReusable: false, isReadOnly: true))
                == ["close 2", "retired", "close 1"])
        #expect(!state.isReady)
        #expect(described(state.acquire("d", id: 4)) == ["connect"])
        #expect(described(state.connected(Connection(id: 4))) == ["4 to d"])
        #expect(state.isReady)
        // Lent out all the while: it comes back too late to be of use, and takes nothing new with it.
        #expect(described(state.release(Connection(id: 3), isReusable: false, isReadOnly: true)) == ["close 3"])
        #expect(described(state.release(Connection(id: 4), isReusable: true)) == [])
        #expect(state.acquireIdle() == Connection(id: 4))
    }

    @Test("An idle connection is never overtaken by a newcomer while others wait")
    func acquireIdle() {
        var state = pool(1)
        _ = state.acquire("a", id: 1)
        _ = state.acquire("b", id: 2)
        _ = state.connected(Connection(id: 1))
        _ = state.release(Connection(id: 1), isReusable: true)
        #expect(state.acquireIdle() == nil)
        _ = state.release(Connection(id: 1), isReusable: true)
        #expect(state.acquireIdle() == Connection(id: 1))
    }

    @Test("A caller that timed out is skipped, and gets the reason")
    func timeOut() {
        var state = pool(1)
        _ = state.acquire("a", id: 1)
        _ = state.connected(Connection(id: 1))
        _ = state.acquire("b", id: 2)
        _ = state.acquire("c", id: 3)
        _ = state.acquire("d", id: 4)
        #expect(described(state.waiterTimedOut(2)) == ["refuse b: poolExhausted"])
        #expect(described(state.waiterTimedOut(2)) == [])
        #expect(described(state.waiterCancelled(3)) == ["refuse c: cancelled"])
        #expect(described(state.release(Connection(id: 1), isReusable: true)) == ["1 to d"])
    }

    @Test("One caller too many is refused at once")
    func waitersBound() {
        var state = pool(1, waitersMax: 1)
        _ = state.acquire("a", id: 1)
        #expect(described(state.acquire("b", id: 2)) == ["refuse b: poolExhausted"])
    }

    @Test("A broken connection is closed and replaced for whoever waits")
    func replacement() {
        var state = pool(1)
        _ = state.acquire("a", id: 1)
        _ = state.connected(Connection(id: 1))
        _ = state.acquire("b", id: 2)
        #expect(described(state.release(Connection(id: 1), isReusable: false)) == ["close 1", "connect"])
        #expect(described(state.connected(Connection(id: 2))) == ["2 to b"])
        // What was given back once cannot be given back again.
        #expect(described(state.release(Connection(id: 1), isReusable: true)) == [])
    }

    @Test("While the server is away one attempt at a time is made, ever more slowly, at most every two seconds")
    func backOff() {
        var state = pool(4)
        _ = state.acquire("a", id: 1)
        _ = state.acquire("b", id: 2)
        #expect(described(state.connectFailed(failure, jitter: 0)) == ["back off 50"])
        #expect(described(state.connectFailed(failure, jitter: 0)) == [])
        #expect(described(state.acquire("c", id: 3)) == [])
        var pauses: [String] = []
        for _ in 0..<6 {
            #expect(described(state.backOffElapsed()) == ["connect"])
            pauses += described(state.connectFailed(failure, jitter: 0))
        }
        #expect(pauses == [200, 400, 800, 1600, 2000, 2000].map { "back off \($0)" })
        #expect(!state.isReady)
        #expect(described(state.waiterTimedOut(3)) == ["refuse c: connection"])
        #expect(described(state.backOffElapsed()) == ["connect"])
        #expect(described(state.connected(Connection(id: 1))) == ["1 to a", "connect"])
        #expect(state.isReady)
    }

    @Test("A connection that cannot be opened beside others that answer leaves the pool ready; all are busy")
    func oneMoreFails() {
        let time = ElapsedTime()
        var state = State(connectionsMax: 3, waitersMax: 10, now: { time.now })
        for (id, name) in [(1, "a"), (2, "b")] {
            _ = state.acquire(name, id: id)
            _ = state.connected(Connection(id: id))
        }
        _ = state.acquire("c", id: 3)
        _ = state.connectFailed(failure, jitter: 0)
        #expect(state.isReady)
        #expect(described(state.waiterTimedOut(3)) == ["refuse c: poolExhausted"])
        // The age of the last answer counts from the last connection that came back.
        time.advance(by: .seconds(4))
        _ = state.release(Connection(id: 1), isReusable: true)
        _ = state.acquire("d", id: 4)
        _ = state.acquire("e", id: 5)
        time.advance(by: .seconds(4))
        #expect(state.isReady)
        #expect(described(state.waiterTimedOut(5)) == ["refuse e: poolExhausted"])
    }

    @Test("A dead server on which lent connections wait is an outage after five seconds, until one answers")
    func lentConnectionsHang() {
        let time = ElapsedTime()
        var state = State(connectionsMax: 3, waitersMax: 10, now: { time.now })
        for (id, name) in [(1, "a"), (2, "b")] {
            _ = state.acquire(name, id: id)
            _ = state.connected(Connection(id: id))
        }
        _ = state.acquire("c", id: 3)
        _ = state.acquire("d", id: 4)
        _ = state.connectFailed(failure, jitter: 0)
        time.advance(by: State.answerAgeMax)
        #expect(!state.isReady)
        #expect(described(state.waiterTimedOut(3)) == ["refuse c: connection"])
        // One that comes back broken proves nothing; one that comes back intact does.
        _ = state.release(Connection(id: 2), isReusable: false)
        #expect(!state.isReady)
        #expect(described(state.release(Connection(id: 1), isReusable: true)) == ["1 to d"])
        #expect(state.isReady)
    }

    @Test("The last connection to a dead server leaves no pool that is ready")
    func lastConnectionBreaks() {
        var state = pool(2)
        _ = state.acquire("a", id: 1)
        _ = state.connected(Connection(id: 1))
        _ = state.acquire("b", id: 2)
        _ = state.connectFailed(failure, jitter: 0)
        #expect(state.isReady)
        _ = state.release(Connection(id: 1), isReusable: false)
        #expect(!state.isReady)
        #expect(described(state.waiterTimedOut(2)) == ["refuse b: connection"])
    }

    @Test("Jitter takes up to half of the pause away")
    func jitter() {
        var state = pool(1)
        _ = state.acquire("a", id: 1)
        #expect(described(state.connectFailed(failure, jitter: 1)) == ["back off 25"])
    }

    @Test("A connection is kept at hand when nobody asks, and sought again when it is lost")
    func keepOne() {
        var state = pool(4)
        #expect(described(state.keepOneConnection()) == ["connect"])
        #expect(described(state.connectFailed(failure, jitter: 0)) == ["back off 50"])
        #expect(described(state.backOffElapsed()) == ["connect"])
        #expect(described(state.connected(Connection(id: 1))) == [])
        #expect(described(state.acquire("a", id: 1)) == ["1 to a"])
        #expect(described(state.release(Connection(id: 1), isReusable: false)) == ["close 1", "connect"])
    }

    @Test("Draining refuses who waits, closes what is idle, and ends when the last one is back")
    func drain() {
        var state = pool(2)
        _ = state.acquire("a", id: 1)
        _ = state.acquire("b", id: 2)
        _ = state.connected(Connection(id: 1))
        _ = state.connected(Connection(id: 2))
        _ = state.release(Connection(id: 2), isReusable: true)
        #expect(described(state.drain()) == ["close 2"])
        #expect(described(state.acquire("c", id: 3)) == ["refuse c: closed"])
        #expect(!state.isDrained)
        #expect(described(state.release(Connection(id: 1), isReusable: true)) == ["close 1", "drained"])
        #expect(state.isDrained)
    }

    @Test("Draining waits for attempts to connect that are under way")
    func drainWhileConnecting() {
        var state = pool(1)
        _ = state.acquire("a", id: 1)
        #expect(described(state.drain()) == ["refuse a: closed"])
        #expect(described(state.connected(Connection(id: 1))) == ["close 1", "drained"])
        var failing = pool(1)
        _ = failing.acquire("a", id: 1)
        _ = failing.drain()
        #expect(described(failing.connectFailed(failure, jitter: 0)) == ["drained"])
    }
}
