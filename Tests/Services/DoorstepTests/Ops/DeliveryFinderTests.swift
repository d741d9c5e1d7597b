import CommandOutput
import DomainTime
import Foundation
import OrderDomain
import StackClient
import Testing

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
}
