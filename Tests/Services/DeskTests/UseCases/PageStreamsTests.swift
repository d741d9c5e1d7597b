import DeliverySamples
import DoorstepAPI
import OrderDomain
import ServiceRuntime
import TestSupport
import Testing

@testable import Desk

@Suite("Open streams")
struct PageStreamsTests {
    private let one: DeliveryID = SampleDeliveries.whole(number: 1, []).id
    private let two: DeliveryID = SampleDeliveries.whole(number: 2, []).id
    private let time = ElapsedTime()
    private let streams: PageStreams

    init() {
        streams = PageStreams("pages", logger: .silent, elapsed: { [time] in time.now })
    }

    /// Somebody in one of several browsers.
    static func reader(_ number: UInt8, role: OperatorScope = .viewer) -> SignedIn {
        SignedIn(user: DeskUser(subject: "ada", role: role), secret: Secret(random: { number }))
    }

    @Test("A change wakes the streams of its delivery and of everything, at once and two seconds later")
    func wakes() async throws {
        let all = try #require(streams.open(.board, for: Self.reader(1)))
        let mine = try #require(streams.open(.delivery(one), for: Self.reader(1)))
        let others = try #require(streams.open(.delivery(two), for: Self.reader(1)))
        streams.notify([one])
        #expect(await all.signal.next() == .events)
        #expect(await mine.signal.next() == .events)
        time.advance(by: PageStreams.followUp)
        streams.beat()
        #expect(await mine.signal.next() == .events, "its screens have followed")
        time.advance(by: .seconds(15))
        streams.beat()
        #expect(await all.signal.next() == .events, "its row may have been read before the change was in it")
        #expect(await others.signal.next() == .heartbeat, "nothing else woke it")
    }

    @Test("A session has its share of streams, and they are counted no longer than they are open")
    func share() throws {
        var slots = (0..<SignedIn.streamsMax).compactMap { _ in streams.open(.board, for: Self.reader(1)) }
        #expect(slots.count == SignedIn.streamsMax && streams.open(.board, for: Self.reader(1)) == nil)
        #expect(streams.open(.board, for: Self.reader(2)) != nil)
        slots.removeLast()
        #expect(streams.open(.board, for: Self.reader(1)) != nil)
        slots.removeAll()
        #expect(streams.count == 0)
    }

    @Test("Signing out ends the session's streams and no others")
    func signOut() async throws {
        let mine = try #require(streams.open(.board, for: Self.reader(1)))
        let others = try #require(streams.open(.board, for: Self.reader(2)))
        streams.end(session: Self.reader(1).secret.hash)
        #expect(await mine.signal.next() == nil)
        streams.notifyAll()
        #expect(await others.signal.next() == .events)
    }
}
