import CommandOutput
import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import StackClient
import Testing
import WireCoding

@testable import Doorstep

@Suite("Finding deliveries by what a command names")
struct DeliveryFinderTests {
    /// Of services that are not there: whole ids are found without them.
    private func finder() throws -> DeliveryFinder {
        let nowhere = [
            "DOORSTEP_ORDERS_URL": "http://127.0.0.1:1", "DOORSTEP_ACTIVITY_DISPATCH_URL": "http://127.0.0.1:1",
        ]
        return DeliveryFinder(
            orders: try PeerClient(.orders, token: nil, environment: nowhere),
            dispatch: try PeerClient(.activityDispatch, token: nil, environment: nowhere), clock: .wall)
    }

    @Test("An empty name is refused, and means no delivery", arguments: ["", " ", "\t"])
    func empty(text: String) async throws {
        let failure = await #expect(throws: CommandFailure.self) { try await finder().find(text) }
        #expect(failure?.kind == .usage && failure?.message.contains("names no delivery") == true)
    }

    @Test("Several are found in the order in which they were named")
    func several() async throws {
        let ids = (0..<3).map { _ in DeliveryID(UUID()) }
        let found = try await finder().findAll(ids.map(\.rawValue))
        #expect(found.map(\.id) == ids && found.map(\.place) == [0, 1, 2])
        #expect(found.map(\.text) == ids.map(\.rawValue))
    }

    @Test("Where one of several is not found, nothing is done to any")
    func oneMissing() async throws {
        let id = DeliveryID(UUID()).rawValue
        let failure = await #expect(throws: CommandFailure.self) { try await finder().findAll([id, " ", id]) }
        #expect(failure?.kind == .usage && failure?.message.contains("nothing was done") == true)
        let alone = await #expect(throws: CommandFailure.self) { try await finder().findAll([" "]) }
        #expect(alone?.message.contains("names no delivery") == true)
    }

    // MARK: Pages of a search

    /// Finds what a text means while `orders` answers a search with these pages.
    ///
    /// - Parameter isEndless: whether the last page names itself as the next.
    private func find(
        _ text: String, wholeOrders: Bool = false, in pages: [[BoardBody.Row]], isEndless: Bool = false
    ) async throws -> (ids: [DeliveryID], failure: CommandFailure?, requests: Int) {
        let bodies = try pages.enumerated().map { index, rows in
            let next = index + 1 < pages.count ? "\(index + 1)" : isEndless ? "\(index)" : nil
            return String(decoding: try WireJSON.encode(SampleBoard.board(rows, next: next)), as: UTF8.self)
        }
        let orders = try await ScriptedHTTPServer.start { request in
            let page = Int(request.head.uri.components(separatedBy: "&cursor=").last ?? "") ?? 0
            return .answer(200, body: bodies[page])
        }
        let finder = DeliveryFinder(
            orders: try PeerClient(.orders, token: nil, environment: ["DOORSTEP_ORDERS_URL": orders.origin]),
            dispatch: try PeerClient(
                .activityDispatch, token: nil,
                environment: ["DOORSTEP_ACTIVITY_DISPATCH_URL": "http://127.0.0.1:1"]), clock: .wall)
        var ids: [DeliveryID] = []
        var failure: CommandFailure?
        do {
            ids = try await finder.findAll([text], wholeOrders: wholeOrders).map(\.id)
        } catch let error as CommandFailure {
            failure = error
        }
        try await orders.stop()
        return (ids, failure, orders.requestCount)
    }

    private static let firstID = "aaaaaaaa-0000-4000-8000-000000000001"
    private static let secondID = "bbbbbbbb-0000-4000-8000-000000000002"

    @Test("A second delivery of the name on a search's second page makes the name ambiguous, and both are listed")
    func secondPage() async throws {
        var first = try (0..<99).map { try SampleBoard.row(reference: "104\($0)") }
        first.append(try SampleBoard.row(id: Self.firstID, reference: "104", customer: "ole"))
        let second = [try SampleBoard.row(id: Self.secondID, reference: "104", promised: 90)]
        let found = try await find("104", wholeOrders: true, in: [first, second])
        let failure = try #require(found.failure)
        #expect(failure.kind == .usage && failure.message.contains("is 2 deliveries;"), "\(failure.message)")
        #expect(failure.message.contains("aaaaaa ") && failure.message.contains("bbbbbb "), "\(failure.message)")
        #expect(found.requests == 2)
    }

    @Test("An order's bags on two pages are all of it")
    func bagsOnTwoPages() async throws {
        let bags = try [Self.firstID, Self.secondID].map { try SampleBoard.row(id: $0, reference: "104") }
        let found = try await find("104", wholeOrders: true, in: bags.map { [$0] })
        #expect(Set(found.ids.map(\.rawValue)) == [Self.firstID, Self.secondID])
    }

    @Test("While more is found than is read, neither one delivery nor an order's bags are meant")
    func endless() async throws {
        let bags = try [Self.firstID, Self.secondID].map { try SampleBoard.row(id: $0, reference: "104") }
        let one = try await find("104", in: [[bags[0]]], isEndless: true)
        #expect(one.failure?.kind == .usage && one.failure?.message.contains("more than 1000 deliveries") == true)
        #expect(one.requests == 10)
        let several = try await find("104", wholeOrders: true, in: [bags], isEndless: true)
        #expect(several.failure?.message.contains("is 2 deliveries or more;") == true)
    }

    @Test("A live delivery of the whole name is the one, however many have ended")
    func endedAfterLive() async throws {
        let rows = try [
            SampleBoard.row(id: Self.firstID, customer: "office"),
            SampleBoard.row(id: Self.secondID, customer: "office", endedAfter: -10_000),
        ]
        let found = try await find("office", in: [rows], isEndless: true)
        #expect(found.ids.map(\.rawValue) == [Self.firstID] && found.requests == 1)
    }
}
