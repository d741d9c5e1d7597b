import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Partners

@Suite("How many attempts a process makes at once")
struct SenderCapacityTests {
    private static func endpoint(
        _ number: Int, of store: String?, health: EndpointHealth = EndpointHealth()
    ) throws -> Endpoint {
        Endpoint(
            id: try #require(EndpointID(rawValue: "we_\(store ?? "all")-\(number)")), kind: .webhook,
            url: "https://shop.example/", types: [], store: store.flatMap(StoreID.init), description: nil,
            signature: .symmetric, health: health, createdAt: Date(timeIntervalSince1970: 0))
    }

    @Test(
        "An endpoint's quota shrinks from eight to one as its answers slow down",
        arguments: [
            (nil, 8), (0.0, 8), (0.5, 8), (0.8, 6), (1.0, 5), (1.5, 3), (1.9, 1), (2.0, 1), (30.0, 1),
        ] as [(Double?, Int)])
    func inFlightMax(answerSeconds: Double?, inFlightMax: Int) {
        #expect(SenderCapacity.inFlightMax(answerSeconds: answerSeconds) == inFlightMax)
    }

    @Test("A slow endpoint has its whole quota again after a few quick answers, and one slow answer takes none of it")
    func average() throws {
        let endpoint = try Self.endpoint(1, of: "a")
        var capacity = SenderCapacity(.init(total: 256))
        func rows(after seconds: Double, times: Int) -> Int {
            for _ in 0..<times {
                _ = capacity.quotas(of: [endpoint])
                capacity.begin(endpoint.id)
                capacity.end(endpoint.id, after: seconds)
            }
            return capacity.quotas(of: [endpoint]).last?.rows ?? 0
        }
        // Eight attempts, and sixteen events that wait for them.
        #expect(rows(after: 0.03, times: 3) == 24)
        #expect(rows(after: 1.5, times: 1) == 24)
        #expect(rows(after: 10, times: 1) == 1)
        #expect(rows(after: 0.03, times: 12) == 24)
    }

    @Test("A store's slow endpoints have an eighth of the slots, and as much again as they give back")
    func share() throws {
        let limits = SenderCapacity.Limits(total: 256)
        #expect((limits.slow, limits.kept) == (32, 64))
        var capacity = SenderCapacity(limits)
        let endpoints = try (0..<100).map { try Self.endpoint($0, of: "a") }
        let other = try Self.endpoint(0, of: "b")
        _ = capacity.quotas(of: endpoints)
        for endpoint in endpoints.prefix(32) { capacity.begin(endpoint.id) }
        #expect(capacity.quotas(of: endpoints + [other]).allSatisfy { $0.share.store == other.store })
        #expect(capacity.endpointsOfFullShares.count == 100)
        capacity.end(endpoints[0].id, after: 10)
        let quotas = capacity.quotas(of: endpoints)
        #expect(quotas.filter { !$0.queue.isReplay }.allSatisfy { $0.rows == 1 && $0.shareLeased == 31 })
        #expect(capacity.inFlight == 31 && capacity.endpointsOfFullShares.isEmpty)
    }

    @Test("A store's quick endpoints have all slots but the kept, beside those of its slow ones")
    func quickShare() throws {
        var capacity = SenderCapacity(.init(total: 256))
        let endpoints = try (0..<100).map { try Self.endpoint($0, of: "a") }
        _ = capacity.quotas(of: endpoints)
        for endpoint in endpoints.prefix(50) {
            capacity.begin(endpoint.id)
            capacity.end(endpoint.id, after: 0.5)
        }
        for endpoint in endpoints.suffix(50) {
            capacity.begin(endpoint.id)
            capacity.end(endpoint.id, after: 10)
        }
        for endpoint in endpoints.suffix(50).prefix(31) { capacity.begin(endpoint.id) }
        for endpoint in endpoints.prefix(50) { for _ in 0..<3 { capacity.begin(endpoint.id) } }
        let quotas = capacity.quotas(of: endpoints).filter { !$0.queue.isReplay }
        // Each has room for five, and sixteen may wait; 42 slots are free, and 256 events may wait in all.
        #expect(quotas.filter { $0.share.isQuick && $0.rows == 2 * (42 + 256) / 50 && $0.isPart }.count == 50)
        #expect(quotas.filter { !$0.share.isQuick }.map(\.rows) == Array(repeating: 1, count: 19))
        // One that becomes slow takes its attempts in flight with it.
        for _ in 0..<3 { capacity.end(endpoints[0].id, after: 10) }
        for _ in 0..<2 { capacity.begin(endpoints[0].id) }
        #expect(capacity.quotas(of: endpoints).allSatisfy { $0.share.isQuick })
    }

    @Test("Events of one store that wait in memory leave another's fewer such places, and its slots")
    func prefetched() throws {
        var capacity = SenderCapacity(.init(total: 64))
        let (first, second) = (try Self.endpoint(1, of: "a"), try Self.endpoint(1, of: "b"))
        _ = capacity.quotas(of: [first, second])
        for endpoint in [first, second] {
            capacity.begin(endpoint.id)
            capacity.end(endpoint.id, after: 0.1)
        }
        for _ in 0..<8 { capacity.begin(first.id) }
        #expect(!capacity.hasRoom(for: first.id) && capacity.hasRoom(for: second.id))
        for _ in 0..<16 { capacity.addPrefetched(first.id) }
        #expect(capacity.needsPrefetching && capacity.prefetched == 16)
        let quotas = capacity.quotas(of: [first, second])
        #expect(quotas.allSatisfy { $0.queue.endpoint == second.id && $0.shareMax == 48 + 48 })
        capacity.addPrefetched(second.id)
        #expect(!capacity.needsPrefetching)
        // One that becomes slow takes its waiting events with it.
        for _ in 0..<8 { capacity.end(first.id, after: 30) }
        #expect(capacity.prefetched == 17 && !capacity.isQuick(first.id))
        for _ in 0..<16 { capacity.removePrefetched(first.id) }
        #expect(capacity.quotas(of: [first]).last?.rows == 1)
    }

    @Test("A failing endpoint has one attempt, and a disabled one replays alone")
    func health() throws {
        var capacity = SenderCapacity(.init(total: 256))
        let failing = try Self.endpoint(1, of: "a", health: EndpointHealth(failingSince: Date()))
        let disabled = try Self.endpoint(2, of: nil, health: EndpointHealth(disabled: .gone))
        let quotas = capacity.quotas(of: [failing, disabled])
        #expect(quotas.map(\.queue.isReplay) == [true, false, true])
        #expect(quotas.map(\.rows) == [1, 1, 1])
    }

    @Test("An attempt that was not made says nothing of its endpoint, and its slot is free again", arguments: [1, 300])
    func unmade(count: Int) throws {
        var capacity = SenderCapacity(.init(total: 256))
        let endpoint = try Self.endpoint(1, of: nil)
        _ = capacity.quotas(of: [endpoint])
        for _ in 0..<count { capacity.begin(endpoint.id) }
        #expect(capacity.isFull == (count == 300))
        for _ in 0..<count { capacity.end(endpoint.id, after: nil) }
        #expect(capacity.inFlight == 0 && capacity.quotas(of: [endpoint]).last?.rows == 8)
    }
}
