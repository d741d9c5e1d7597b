import DeliverySamples
import DoorstepAPI
import OrderDomain
import ServiceRuntime
import Testing

@testable import Desk

@Suite("Open streams")
struct StreamRegistryTests {
    private let one: DeliveryID = SampleDeliveries.whole(number: 1, []).id
    private let two: DeliveryID = SampleDeliveries.whole(number: 2, []).id

    /// Somebody in one of several browsers.
    static func reader(_ number: UInt8, role: OperatorScope = .viewer) -> SignedIn {
        SignedIn(user: DeskUser(subject: "ada", role: role), secret: Secret(random: { number }))
    }

    @Test("A change wakes the streams of its delivery and of everything, at once and two seconds later")
    func wakes() async throws {
        let streams = StreamRegistry()
        let all = try #require(streams.open(nil, for: Self.reader(1)))
        let mine = try #require(streams.open(one, for: Self.reader(1)))
        let others = try #require(streams.open(two, for: Self.reader(1)))
        streams.notify([one])
        #expect(await all.signal.next() == .events)
        #expect(await mine.signal.next() == .events)
        for _ in 0..<StreamRegistry.followUpSeconds { streams.beat() }
        #expect(await mine.signal.next() == .events, "its screens have followed")
        for _ in 0..<StreamRegistry.heartbeatSeconds { streams.beat() }
        #expect(await others.signal.next() == .heartbeat, "nothing else woke it")
    }

    @Test("A session has its share of streams, and they are counted no longer than they are open")
    func share() throws {
        let streams = StreamRegistry()
        var slots = (0..<StreamRegistry.streamsPerSessionMax).compactMap { _ in streams.open(nil, for: Self.reader(1)) }
        #expect(slots.count == StreamRegistry.streamsPerSessionMax && streams.open(nil, for: Self.reader(1)) == nil)
        #expect(streams.open(nil, for: Self.reader(2)) != nil)
        slots.removeLast()
        #expect(streams.open(nil, for: Self.reader(1)) != nil)
        slots.removeAll()
        #expect(streams.count == 0)
    }

    @Test("Signing out ends the session's streams and no others")
    func signOut() async throws {
        let streams = StreamRegistry()
        let mine = try #require(streams.open(nil, for: Self.reader(1)))
        let others = try #require(streams.open(nil, for: Self.reader(2)))
        streams.end(session: Self.reader(1).secret.hash)
        #expect(await mine.signal.next() == nil)
        streams.notifyAll()
        #expect(await others.signal.next() == .events)
    }
}
