import DoorstepAPI
import Foundation
import OrderDomain
import Testing

@testable import Partners

@Suite("Events in memory")
struct SendQueueTests {
    private static let leasedAt = ContinuousClock.now

    private static func endpoint(_ name: String) throws -> Endpoint {
        Endpoint(
            id: try #require(EndpointID(rawValue: "we_\(name)")), kind: .webhook, url: "https://shop.example/",
            types: [],
            store: nil, description: nil, signature: .symmetric, health: EndpointHealth(),
            createdAt: Date(timeIntervalSince1970: 0))
    }

    private static func work(_ ids: Range<Int>, for endpoint: Endpoint) throws -> [SendQueue.Work] {
        try ids.map { id in
            SendQueue.Work(
                leased: EventRepository.Leased(
                    id: id, lease: UUID(), endpoint: endpoint.id,
                    event: try #require(EventID(rawValue: "msg_\(id)")), body: Data(), isReplay: false, attempts: 0),
                leasedAt: leasedAt, url: endpoint.url, keys: [])
        }
    }

    /// A queue that knows the endpoints, each of which has answered once.
    private static func queue(_ endpoints: [Endpoint], answering seconds: Double = 0.1) -> SendQueue {
        var queue = SendQueue(SenderCapacity(.init(total: 64)), waitMax: .seconds(15))
        _ = queue.capacity.quotas(of: endpoints)
        for endpoint in endpoints {
            queue.capacity.begin(endpoint.id)
            queue.capacity.end(endpoint.id, after: seconds)
        }
        return queue
    }

    @Test("A quick endpoint's events beyond its eight attempts wait, and begin in their order, one as each ends")
    func waits() throws {
        let endpoint = try Self.endpoint("quick")
        var queue = Self.queue([endpoint])
        let accepted = queue.accept(try Self.work(0..<12, for: endpoint))
        #expect(accepted.begun.map(\.leased.id) == Array(0..<8))
        #expect(accepted.waiting == 4 && accepted.unsent.isEmpty && queue.capacity.prefetched == 4)
        let next = (0..<5).map { _ in
            queue.end(endpoint.id, after: 0.1, hasFailed: false, at: Self.leasedAt).next?.leased.id
        }
        #expect(next == [8, 9, 10, 11, nil])
        #expect(queue.capacity.inFlight == 7 && queue.capacity.prefetched == 0)
    }

    @Test("A slot whose endpoint has nothing more to send serves another endpoint")
    func others() throws {
        let (first, second) = (try Self.endpoint("first"), try Self.endpoint("second"))
        var queue = Self.queue([first, second])
        let ids = queue.accept(try Self.work(0..<8, for: first) + Self.work(8..<18, for: second)).begun.map(\.leased.id)
        #expect(ids == Array(0..<16))
        #expect(queue.end(first.id, after: 0.1, hasFailed: false, at: Self.leasedAt).next == nil)
        #expect(queue.end(second.id, after: 0.1, hasFailed: false, at: Self.leasedAt).next?.leased.id == 16)
    }

    @Test("A slow endpoint's events do not wait: what it has no slot for is given back")
    func slow() throws {
        let endpoint = try Self.endpoint("slow")
        var queue = Self.queue([endpoint], answering: 10)
        let accepted = queue.accept(try Self.work(0..<3, for: endpoint))
        #expect(accepted.begun.map(\.leased.id) == [0] && accepted.unsent.map(\.id) == [1, 2])
    }

    @Test(
        "What waits for an endpoint that fails, or becomes slow, is given back",
        arguments: [(hasFailed: true, seconds: 0.1), (hasFailed: false, seconds: 30.0)])
    func away(hasFailed: Bool, seconds: Double) throws {
        let (endpoint, other) = (try Self.endpoint("away"), try Self.endpoint("other"))
        var queue = Self.queue([endpoint, other])
        _ = queue.accept(try Self.work(0..<10, for: endpoint) + Self.work(10..<19, for: other))
        let ended = queue.end(endpoint.id, after: seconds, hasFailed: hasFailed, at: Self.leasedAt)
        #expect(ended.unsent.map(\.id) == [8, 9] && ended.next == nil)
        #expect(queue.end(other.id, after: 0.1, hasFailed: false, at: Self.leasedAt).next?.leased.id == 18)
    }

    @Test("An event that waited too long for the rest of its lease is given back")
    func late() throws {
        let endpoint = try Self.endpoint("late")
        var queue = Self.queue([endpoint])
        _ = queue.accept(try Self.work(0..<9, for: endpoint))
        let ended = queue.end(endpoint.id, after: 0.1, hasFailed: false, at: Self.leasedAt + .seconds(16))
        #expect(ended.next == nil && ended.unsent.map(\.id) == [8])
    }

    @Test("A closed queue gives back what waits, and begins nothing more")
    func closed() throws {
        let endpoint = try Self.endpoint("closed")
        var queue = Self.queue([endpoint])
        _ = queue.accept(try Self.work(0..<9, for: endpoint))
        #expect(queue.close().map(\.id) == [8])
        #expect(queue.end(endpoint.id, after: 0.1, hasFailed: false, at: Self.leasedAt).next == nil)
        #expect(queue.accept(try Self.work(9..<10, for: endpoint)).unsent.map(\.id) == [9])
    }
}
