import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import WebhookSender

@Suite("Looking names up", .timeLimit(.minutes(5)))
struct NameResolverTests {
    private static let address = EgressAddress("192.0.2.1")!

    /// Runs a test with one thread for slow names, and lets every look-up end afterwards.
    private func run(
        threads count: Int = 1, slowAfter: Duration = .seconds(600), patience: Duration = .seconds(60),
        _ body: (NameResolver, LookupsByTest) async throws -> Void
    ) async throws {
        let (threads, slowThreads) = (NIOThreadPool(numberOfThreads: count), NIOThreadPool(numberOfThreads: 1))
        threads.start()
        slowThreads.start()
        let lookups = LookupsByTest(address: Self.address)
        let resolver = NameResolver(
            threads: threads, slowThreads: slowThreads, slowAfter: slowAfter, patience: patience,
            find: { try lookups.addresses(of: $0) })
        var failure: (any Error)?
        do { try await body(resolver, lookups) } catch { failure = error }
        lookups.release()
        try await threads.shutdownGracefully()
        try await slowThreads.shutdownGracefully()
        if let failure { throw failure }
    }

    private func expectFound(_ addresses: [EgressAddress]) { #expect(addresses == [Self.address]) }

    @Test("A name that hangs takes one thread, however many ask for it, and all of them share its answer")
    func shared() async throws {
        try await run(threads: 2) { resolver, lookups in
            lookups.hang("hangs.example")
            let asking = (0..<5).map { _ in Task { try await resolver.addresses(of: "hangs.example") } }
            while resolver.waiting(for: "hangs.example") < asking.count { await Task.yield() }
            expectFound(try await resolver.addresses(of: "answers.example"))
            lookups.release()
            for one in asking { expectFound(try await one.value) }
            #expect(lookups.asked.sorted() == ["answers.example", "hangs.example"])
        }
    }

    @Test("Cancelling whoever waits ends the wait at once, and nobody else's, while the look-up goes on")
    func cancelled() async throws {
        try await run { resolver, lookups in
            lookups.hang("hangs.example")
            let (mine, others) = (
                Task { try await resolver.addresses(of: "hangs.example") },
                Task { try await resolver.addresses(of: "hangs.example") }
            )
            while lookups.asked.isEmpty || resolver.waiting(for: "hangs.example") < 2 { await Task.yield() }
            mine.cancel()
            await #expect(throws: CancellationError.self) { try await mine.value }
            #expect(resolver.waiting(for: "hangs.example") == 1)
            lookups.release()
            expectFound(try await others.value)
            #expect(lookups.asked == ["hangs.example"])
        }
    }

    @Test("A look-up that does not answer in time ends as one that finds nothing")
    func overdue() async throws {
        try await run(patience: .zero) { resolver, lookups in
            lookups.hang("hangs.example")
            await #expect(throws: WebhookFailure.notResolved) { try await resolver.addresses(of: "hangs.example") }
            #expect(resolver.waiting(for: "hangs.example") == 0)
        }
    }

    @Test("A name that nobody waits for any more is not looked up once there is a thread for it")
    func abandoned() async throws {
        try await run { resolver, lookups in
            func ask(_ host: String) async -> Task<[EgressAddress], any Error> {
                let asking = Task { try await resolver.addresses(of: host) }
                while resolver.waiting(for: host) < 1 { await Task.yield() }
                return asking
            }
            lookups.hang("hangs.example")
            let hanging = await ask("hangs.example")
            while lookups.asked.isEmpty { await Task.yield() }
            let abandoned = await ask("abandoned.example")
            let wanted = await ask("wanted.example")
            abandoned.cancel()
            await #expect(throws: CancellationError.self) { try await abandoned.value }
            lookups.release()
            expectFound(try await wanted.value)
            expectFound(try await hanging.value)
            #expect(lookups.asked == ["hangs.example", "wanted.example"])
            // It is looked up as any other when somebody asks for it again.
            expectFound(try await resolver.addresses(of: "abandoned.example"))
        }
    }

    @Test("A name that was slow takes no thread of other names when it hangs the next time")
    func slow() async throws {
        try await run(slowAfter: .zero) { resolver, lookups in
            expectFound(try await resolver.addresses(of: "slow.example"))
            lookups.hang("slow.example")
            let hanging = Task { try await resolver.addresses(of: "slow.example") }
            while lookups.asked.count < 2 { await Task.yield() }
            expectFound(try await resolver.addresses(of: "other.example"))
            lookups.release()
            expectFound(try await hanging.value)
        }
    }

    @Test("A look-up that fails does so for everybody who waits, and is tried anew for whoever asks then")
    func failed() async throws {
        try await run { resolver, lookups in
            lookups.hang("absent.example")
            lookups.fail("absent.example")
            let asking = (0..<2).map { _ in Task { try await resolver.addresses(of: "absent.example") } }
            while resolver.waiting(for: "absent.example") < asking.count { await Task.yield() }
            lookups.release()
            for one in asking {
                await #expect(throws: WebhookFailure.notResolved) { try await one.value }
            }
            await #expect(throws: WebhookFailure.notResolved) { try await resolver.addresses(of: "absent.example") }
            #expect(lookups.asked == ["absent.example", "absent.example"])
        }
    }
}

/// Look-ups that end as a test says, each on the thread that it is given.
private final class LookupsByTest: Sendable {
    private struct State {
        var asked: [String] = []
        var absent: Set<String> = []
        var gates: [String: EventLoopPromise<Void>] = [:]
    }

    private let address: EgressAddress
    private let state = Mutex(State())

    init(address: EgressAddress) { self.address = address }

    /// The names that were looked up, in the order in which that began.
    var asked: [String] { state.withLock(\.asked) }

    /// Has a name's look-ups last until ``release()``; once for each name.
    func hang(_ host: String) {
        let gate = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Void.self)
        state.withLock { $0.gates[host] = gate }
    }

    /// Has a name's look-ups find nothing.
    func fail(_ host: String) { state.withLock { _ = $0.absent.insert(host) } }

    /// Lets every look-up end, and those that come.
    func release() {
        let gates = state.withLock { state in
            defer { state.gates = [:] }
            return state.gates
        }
        for gate in gates.values { gate.succeed() }
    }

    func addresses(of host: String) throws -> [EgressAddress] {
        let (gate, isAbsent) = state.withLock { state in
            state.asked.append(host)
            return (state.gates[host], state.absent.contains(host))
        }
        if let gate { try gate.futureResult.wait() }
        if isAbsent { throw WebhookFailure.notResolved }
        return [address]
    }
}
